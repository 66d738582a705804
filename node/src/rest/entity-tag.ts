import { hash } from "node:crypto"

const DIGITS = 32

const digest = (content: string | Uint8Array): string => `"${hash("sha256", content, "hex").slice(0, DIGITS)}"`

/** The tag of bytes: two answers with it are the same. */
export const strongTag = (content: string | Uint8Array): string => digest(content)

/** The tag of data in an envelope, which itself is another each time. */
export const weakTag = (data: string): string => `W/${digest(data)}`

const bare = (tag: string): string => tag.trim().replace(/^W\//, "")

/** Whether the client has what `tag` stands for, by its If-None-Match. */
export const isKnown = (tag: string, ifNoneMatch: string | undefined): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((each) => bare(each) === bare(tag)))
