/** Hexadecimal conversions of the packages below the node. */
export { bytesOfDigits, displayHash, hexOf, hexOfNumber } from "@lockstep/protocol/hex.ts"
