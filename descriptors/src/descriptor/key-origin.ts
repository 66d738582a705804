import { hash } from "node:crypto"
import { pathText } from "./key-path.ts"

/** Where a key comes from: the fingerprint of a key, and the path from that one. */
export interface DescriptorOrigin {
  readonly fingerprint: string
  readonly path: ReadonlyArray<number>
}

export const originText = ({ fingerprint, path }: DescriptorOrigin, mark?: "'" | "h"): string =>
  `[${fingerprint}${pathText(path, mark)}]`

/** The fingerprint of a public key, in digits. */
export const fingerprintText = (key: Uint8Array): string =>
  hash("ripemd160", hash("sha256", key, "buffer"), "hex").slice(0, 8)
