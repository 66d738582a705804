import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { otherSpace, readerIn } from "../../coins/coin-space.ts"
import { walkSet } from "../../coins/set-walk.ts"
import { ensuring } from "../../finalizers/finalizers.ts"
import { displayHash } from "../../hex.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { EngineFault } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import type { Writer } from "../chainstate/writer.ts"
import { findCandidates } from "../header-index/candidates.ts"
import { notifyLog } from "../notify/notifications.ts"
import { activateBestChain } from "../validation/activate-best-chain.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { abandonSnapshot } from "./abandon-snapshot.ts"
import type { BackgroundChain, Snapshot } from "../state/snapshot.ts"

/** Confirms the snapshot: its chain now counts as one validated from genesis on. */
const confirm = Effect.fnUntraced(
  function*(engine: ChainEngine, snapshot: Snapshot): Effect.fn.Return<void, ConnectError> {
    const { chainstates, tree } = engine
    snapshot.background = undefined
    engine.files.divideAt(undefined)
    chainstates.hasLeftover = true
    tree.assumed = undefined
    engine.dirty = true
    yield* commit(engine)
    engine.crashPoint("snapshot-confirmed")
    notifyLog(engine, "info", "[snapshot] the loaded snapshot is confirmed", {
      height: snapshot.base.height,
      block_hash: displayHash(snapshot.base.hash)
    })
    // Chains that do not contain the snapshot's block may be the best now.
    findCandidates(tree)
    yield* activateBestChain(engine)
  }
)

/** Hashes the coins of the background chain, from a view of the store in which they are complete. */
const hashOf = Effect.fnUntraced(function*(
  engine: ChainEngine,
  writer: Writer
): Effect.fn.Return<Uint8Array, StorageError | EngineFault> {
  const { chainstates, crypto } = engine
  const space = otherSpace(chainstates.active)
  const view = yield* writer.alone(Effect.andThen(commit(engine), chainstates.whole.snapshot))
  const walk = walkSet(readerIn(view, () => space), { hashType: "hash_serialized_3", crypto })
  return (yield* ensuring(walk, view.close)).setHash!
})

/**
 * Compares the coins of the background chain, which is at the base, with those of the snapshot. Either the snapshot is
 * confirmed or the node stops using it. The chain advances meanwhile.
 */
export const compareCoins = Effect.fnUntraced(function*(
  engine: ChainEngine,
  writer: Writer,
  snapshot: Snapshot,
  background: BackgroundChain
): Effect.fn.Return<void, StorageError | EngineFault> {
  const setHash = yield* hashOf(engine, writer)
  const isSame = bytesEqual(setHash, snapshot.known.setHash)
  if (!isSame) {
    notifyLog(engine, "error", "[snapshot] the coins of the snapshot are not those of its block", {
      expected: displayHash(snapshot.known.setHash),
      actual: displayHash(setHash)
    })
  }
  yield* writer.change(isSame ? confirm(engine, snapshot) : abandonSnapshot(engine, snapshot, background))
})
