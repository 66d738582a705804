import { packageHash } from "@lockstep/kernel/relay"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { ScannedTransaction } from "./scan-transaction.ts"
import type { SeenTransactions } from "./already-have-tx.ts"

/** A parent that pays too little alone, and a child that may pay for it (Core: opportunistic 1p1c). */
export interface ParentAndChild {
  readonly parent: ScannedTransaction
  readonly child: ScannedTransaction
}

/** Returns the hash by which a rejected package is remembered. */
export const hashOfPackage = ({ child, parent }: ParentAndChild, crypto: Crypto): Uint8Array =>
  packageHash([parent.wtxid, child.wtxid], crypto)

/**
 * Returns a package for a rejected parent, or `undefined`. It tries only children that the same peer announced, as
 * others could insert fake ones before the real one.
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
