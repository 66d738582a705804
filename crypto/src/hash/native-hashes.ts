import { agreesOnHashes } from "../known-answers.ts"
import type { Hashes } from "./hashes.ts"
import { nodeCryptoHashes } from "./node-crypto.ts"
import { opensslHashes } from "./openssl.ts"

/** The fastest hashes of this machine, and what they run on in words. */
export const nativeHashes = (): { readonly hashes: Hashes; readonly detail: string } => {
  const openssl = opensslHashes()
  return openssl.ok && agreesOnHashes(openssl.value)
    ? { hashes: openssl.value, detail: `OpenSSL ${process.versions.openssl}` }
    : { hashes: nodeCryptoHashes, detail: "node:crypto" }
}
