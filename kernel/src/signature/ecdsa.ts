import type { Crypto } from "../crypto/crypto.ts"
import type { Bytes, Bytes32 } from "../quantities.ts"
import { parseLaxDer, withLowS } from "./der.ts"
import { ecdsaPublicKey } from "./public-key.ts"

/**
 * Reports whether `signature` (DER without hash type) by `key` signs the 32-byte `digest`.
 *
 * What cannot be parsed does not verify; a high s is as good as the low one.
 *
 * @spec SIG-004 #a23d20ca
 */
export const ecdsaVerifies = (crypto: Crypto, signature: Bytes, key: Bytes, digest: Bytes32): boolean => {
  const point = ecdsaPublicKey(key)
  if (point === undefined) return false
  const compact = parseLaxDer(signature)
  return compact !== undefined && crypto.ecdsaVerify(withLowS(compact), point, digest)
}
