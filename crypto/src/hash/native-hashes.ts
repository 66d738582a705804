import { agreesOnHashes } from "../known-answers.ts"
import type { Hashes } from "./hashes.ts"
import { nodeCryptoHashes } from "./node-crypto.ts"
import { opensslHashes } from "./openssl.ts"

interface NativeHashes {
  readonly hashes: Hashes
  /** What they run on, in words. */
  readonly detail: string
}

const findHashes = (): NativeHashes => {
  const openssl = opensslHashes()
  return openssl.ok && agreesOnHashes(openssl.value)
    ? { hashes: openssl.value, detail: `OpenSSL ${process.versions.openssl}` }
    : { hashes: nodeCryptoHashes, detail: "node:crypto" }
}

let found: NativeHashes | undefined

/** Returns the fastest hashes of this machine. A thread looks for them once: all its parts share their scratch memory. */
export const nativeHashes = (): NativeHashes => found ??= findHashes()
