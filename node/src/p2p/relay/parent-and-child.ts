import { packageHash } from "@lockstep/kernel/relay"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { ScannedTransaction } from "./scan-transaction.ts"
import type { SeenTransactions } from "./already-have-tx.ts"

/** A parent that pays too little by itself, and a child that may pay for it (Core: opportunistic 1p1c). */
export interface ParentAndChild {
  readonly parent: ScannedTransaction
  readonly child: ScannedTransaction
}

/** What is remembered of a package that was rejected. */
export const hashOfPackage = ({ child, parent }: ParentAndChild, crypto: Crypto): Uint8Array =>
  packageHash([parent.wtxid, child.wtxid], crypto)

/**
 * A package for a parent that was rejected. Only children that the same peer announced are tried: others could put fake
 * ones before the real one.
 */
export const findPackage = (
  parent: ScannedTransaction,
  peer: number,
  { orphans, reconsiderable, rejects }: Pick<SeenTransactions, "orphans" | "reconsiderable" | "rejects">,
  crypto: Crypto
): ParentAndChild | undefined => {
  for (const child of orphans.childrenFrom(parent.txid, peer)) {
    const found = { parent, child }
    if (!reconsiderable.has(hashOfPackage(found, crypto)) && !rejects.has(child.txid)) return found
  }
  return undefined
}
