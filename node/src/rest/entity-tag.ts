import { hash } from "node:crypto"

const DIGITS = 32

const digest = (content: string | Uint8Array): string => `"${hash("sha256", content, "hex").slice(0, DIGITS)}"`

/** Returns the strong tag of bytes: two answers with the same tag are identical. */
export const strongTag = (content: string | Uint8Array): string => digest(content)

/** Returns the weak tag of data in an envelope, since the envelope differs every time. */
export const weakTag = (data: string): string => `W/${digest(data)}`

const bare = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Reports whether the client already has the content of `tag`, by its If-None-Match header. */
export const isKnown = (tag: string, ifNoneMatch: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((each) => bare(each) === bare(tag)))
