import { ancestorAt } from "@lockstep/kernel/chain"
import type { SnapshotMetadata } from "@lockstep/protocol/snapshot/snapshot-metadata.ts"
import type { AssumeUtxo } from "@lockstep/protocol/networks/network.ts"
import * as Result from "effect/Result"
import { displayHash } from "../../hex.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { isLoadingBlocks } from "../chainstate/loading-blocks.ts"
import { isInvalid, nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { knownSnapshotAt } from "./open-snapshot.ts"

/** A snapshot that may be loaded. */
export interface Loadable {
  readonly base: HeaderIndexNode
  readonly known: AssumeUtxo
}

/** Returns the reason why a block of the header index cannot be the base, or `undefined` if it can. */
const whyNotBase = ({ tree }: ChainEngine, base: HeaderIndexNode): string | undefined => {
  if (isInvalid(tree, base)) {
    return `The base block header (${displayHash(base.hash)}) is part of an invalid chain`
  }
  return ancestorAt(tree.bestHeader, base.height) === base
    ? undefined
    : "A forked headers-chain with more work than the chain with the snapshot base block header exists. Please proceed " +
      "to sync without AssumeUtxo"
}

/**
 * Returns the snapshot, or the reason why it cannot be loaded now: Bitcoin Core's message without the full stop, if it
 * has one.
 */
export const loadable = (
  engine: ChainEngine,
  mempool: TxMempool | undefined,
  metadata: SnapshotMetadata
): Result.Result<Loadable, string> => {
  const { network, snapshot, tree } = engine
  const hash = displayHash(metadata.base)
  if (snapshot !== undefined) return Result.fail("Can't activate a snapshot-based chainstate more than once")
  const known = knownSnapshotAt(engine, metadata.base)
  if (known === undefined) {
    const heights = network.assumeUtxo.map(({ height }) => height).join(", ")
    return Result.fail(
      `assumeutxo block hash in snapshot metadata not recognized (hash: ${hash}). The following snapshot heights are ` +
        `available: ${heights}`
    )
  }
  const base = nodeOf(tree, metadata.base)
  if (base === undefined) {
    return Result.fail(
      `The base block header (${hash}) must appear in the headers chain. Make sure all headers are syncing, and call ` +
        "loadtxoutset again"
    )
  }
  const wrong = whyNotBase(engine, base)
  if (wrong !== undefined) return Result.fail(wrong)
  if ((mempool?.totals().count ?? 0) > 0) return Result.fail("Can't activate a snapshot when mempool not empty")
  // The import of block files will add these blocks anyway.
  if (isLoadingBlocks(engine)) return Result.fail("Block files are being taken in: load the snapshot when that is over")
  return base.chainWork > tree.tip.chainWork
    ? Result.succeed({ base, known })
    : Result.fail("Population failed: Work does not exceed active chainstate")
}
