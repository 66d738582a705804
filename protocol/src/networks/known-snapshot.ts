import type { Height } from "@lockstep/kernel/quantities"
import { hashOfDigits } from "./hex.ts"
import type { AssumeUtxo } from "./network.ts"

/** A set of coins that a release vouches for; hashes as people write them. */
export const knownSnapshot = (
  height: Height,
  hash: string,
  setHash: string,
  chainTransactions: number
): AssumeUtxo => ({ height, hash: hashOfDigits(hash), setHash: hashOfDigits(setHash), chainTransactions })
