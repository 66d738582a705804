import { decodeTransaction, type Transaction } from "@lockstep/kernel/model"
import { packageHash } from "@lockstep/kernel/relay"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { type InventoryEntry, InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { PackageVersion } from "@lockstep/protocol/wire/messages/packages.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { P2pContext } from "../../peer/p2p-context.ts"
import type { Peer } from "../../peer/peer.ts"
import type { ScannedTransaction } from "../scan-transaction.ts"
import { relaysPackages } from "../../peer/negotiation.ts"
import { PACKAGE_LIMITS } from "./package-limits.ts"

/** Inputs for serving packages. */
export interface PackageServing {
  readonly context: Pick<P2pContext, "chain" | "crypto">
  /** Reports whether a peer may know of the mempool transaction that an entry names. */
  readonly isAnnouncedTo: (peer: Peer, entry: InventoryEntry) => boolean
  /** Returns the transaction that an entry names, if the peer may have it. */
  readonly transactionFor: (peer: Peer, entry: InventoryEntry) => Effect.Effect<ScannedTransaction | undefined>
}

const named = (hash: Uint8Array): InventoryEntry => ({ type: InventoryType.WTX, hash })

const ancestorsFor = (
  { context: { chain }, isAnnouncedTo }: PackageServing,
  peer: Peer,
  wtxid: Uint8Array
): Effect.Effect<ReadonlyArray<Uint8Array> | undefined> =>
  Effect.suspend(() => {
    const found = isAnnouncedTo(peer, named(wtxid)) ? chain.mempool.find("wtxid", wtxid) : undefined
    if (found === undefined) return Effect.succeed(undefined)
    return Effect.map(chain.mempoolAncestors(found.txid), (ancestors) =>
      ancestors !== undefined && ancestors.length < PACKAGE_LIMITS.transactions.most &&
        ancestors.every((each) =>
          isAnnouncedTo(peer, named(each))
        )
        ? [...ancestors, found.wtxid]
        : undefined)
  })

/** Serves the ids of the unconfirmed ancestors of a transaction. Adds the entry to `missing` if that is impossible. */
export const serveAncestors = (
  serving: PackageServing,
  peer: Peer,
  entry: InventoryEntry,
  missing: Array<InventoryEntry>
): Effect.Effect<void> => {
  if (entry.type !== InventoryType.ANCESTOR_PACKAGE) {
    return Effect.sync(() => peer.disconnect({ _tag: "GetDataOfNotFoundType" }))
  }
  return Effect.map(ancestorsFor(serving, peer, entry.hash), (wtxids) => {
    if (wtxids === undefined) missing.push(entry)
    else peer.send({ command: "ancpkginfo", wtxids })
  })
}

/** Serves all of the transactions that were requested together, or none. */
export const servePackage = Effect.fnUntraced(function*(
  { context: { crypto }, transactionFor }: PackageServing,
  peer: Peer,
  { wtxids }: MessageOf<"getpkgtxns">
): Effect.fn.Return<void> {
  if (!relaysPackages(peer, PackageVersion.TRANSACTIONS)) return
  const transactions: Array<Transaction> = []
  let weight = 0
  for (const hash of wtxids) {
    const found = yield* transactionFor(peer, named(hash))
    const decoded = found === undefined ? undefined : decodeTransaction(found.bytes)
    weight += found?.weight ?? 0
    if (decoded === undefined || Result.isFailure(decoded) || weight > PACKAGE_LIMITS.weight.most) break
    transactions.push(decoded.success)
  }
  if (transactions.length === wtxids.length) return peer.send({ command: "pkgtxns", transactions })
  const hash = packageHash(wtxids, crypto)
  peer.send({ command: "notfound", inventory: [{ type: InventoryType.PACKAGE_TRANSACTIONS, hash }] })
})
