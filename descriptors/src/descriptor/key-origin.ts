import { hash } from "node:crypto"
import { pathText } from "./key-path.ts"

/** Origin of a key: the fingerprint of an ancestor and the path from it. */
export interface DescriptorOrigin {
  readonly fingerprint: string
  readonly path: ReadonlyArray<number>
}

export const originText = ({ fingerprint, path }: DescriptorOrigin, mark?: "'" | "h"): string =>
  `[${fingerprint}${pathText(path, mark)}]`

/** Returns the fingerprint of a public key, in hexadecimal digits. */
export const fingerprintText = (key: Uint8Array): string =>
  hash("ripemd160", hash("sha256", key, "buffer"), "hex").slice(0, 8)
