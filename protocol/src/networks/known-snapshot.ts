import type { Height } from "@lockstep/kernel/quantities"
import { hashOfDigits } from "./hex.ts"
import type { AssumeUtxo } from "./network.ts"

/** Builds a set of coins that a release vouches for, from hashes in display order. */
export const knownSnapshot = (
  height: Height,
  hash: string,
  setHash: string,
  chainTransactions: number
): AssumeUtxo => ({ height, hash: hashOfDigits(hash), setHash: hashOfDigits(setHash), chainTransactions })
