/** The crypto interface the rules are given. */
export type { Crypto } from "./crypto/crypto.ts"
export { taggedHash, taggedHashPrefix } from "./crypto/tagged-hash.ts"
