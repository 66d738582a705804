/** Texts of bytes, as the packages below the node write them. */
export { bytesOfDigits, displayHash, hexOf, hexOfNumber } from "@lockstep/protocol/hex.ts"
