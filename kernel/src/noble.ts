/** The portable implementation of the crypto interface. */
export { nobleCrypto } from "./crypto/noble.ts"
