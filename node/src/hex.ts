/** Hexadecimal conversions of the packages below the node. */
export { bytesOfDigits, displayHash, hashOfText, hexOf, hexOfNumber } from "@lockstep/protocol/hex.ts"
