import { hash, timingSafeEqual } from "node:crypto"

/** What secrets are compared by. */
export const secretDigest = (text: string): Buffer => hash("sha256", text, "buffer")

/** Finds by its digest whether a text is one of some secrets. All are compared, so the time says nothing about them. */
export const secretMatcher = (secrets: ReadonlyArray<string>): (candidate: Buffer) => boolean => {
  const expected = secrets.map(secretDigest)
  return (candidate) => {
    let matches = false
    for (const each of expected) if (timingSafeEqual(each, candidate)) matches = true
    return matches
  }
}
