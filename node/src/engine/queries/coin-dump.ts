import type { Height } from "@lockstep/kernel/quantities"
import { ancestorAt } from "@lockstep/kernel/chain"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { type FileHandle, open, unlink } from "node:fs/promises"
import { type ChangedCoins, changedCoins } from "../../coins/changed-coins.ts"
import { brokenCoin, decodeCoin } from "../../coins/coin-codec.ts"
import { outPointOfKey } from "../../coins/coin-key.ts"
import { type SnapshotFile, snapshotFile } from "../../coins/snapshot-file.ts"
import { acquireUseRelease, ensuring } from "../../finalizers/finalizers.ts"
import { KeySpace, rangeOf } from "../../storage/key-space.ts"
import type { KeyValue, KeyValueReader } from "../../storage/key-value/key-value-store.ts"
import type { EngineCalls } from "../api/engine-calls.ts"
import type { EngineError } from "../api/engine-error.ts"
import type { Handlers } from "../api/handler.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import { asFault } from "../chainstate/faults.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { MOST_CHANGED_COINS } from "../options/limits.ts"
import { loadUndo } from "../validation/disconnect.ts"
import { loadBlock } from "../validation/load-block.ts"

const TXID_SIZE = 32

/** Records the coins as they were before a block. */
const takeBack = Effect.fnUntraced(function*(engine: ChainEngine, node: HeaderIndexNode, changes: ChangedCoins) {
  const { block, identity } = yield* loadBlock(engine, node)
  const undo = yield* loadUndo(engine, node)
  for (let i = block.transactions.length - 1; i >= 0; i--) {
    const { inputs, outputs } = block.transactions[i]!
    const txid = identity.transactionIds.slice(i * TXID_SIZE, (i + 1) * TXID_SIZE)
    for (const vout of outputs.keys()) changes.set({ txid, vout }, undefined)
    if (i > 0) { for (const [j, { prevout }] of inputs.entries()) changes.set(prevout, undo.spent[i - 1]![j]!) }
  }
  for (const { coin, outpoint } of undo.replaced) changes.set(outpoint, coin)
})

const failed = (cause: unknown): EngineError & { readonly _tag: "SnapshotNotWritten" } => ({
  _tag: "SnapshotNotWritten",
  cause: cause instanceof Error ? cause.message : String(cause)
})

const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: failed })

const writeCoins = Effect.fnUntraced(function*(
  snapshot: KeyValueReader,
  changes: ChangedCoins,
  file: SnapshotFile
) {
  const write = Effect.fnUntraced(function*(entries: ReadonlyArray<KeyValue>) {
    for (const [key, value] of entries) {
      const coin = decodeCoin(value)
      if (coin === undefined) return yield* brokenCoin("write a snapshot", outPointOfKey(key))
      yield* attempt(() => file.add(changes.merged(key, coin)))
    }
    yield* Effect.yieldNow
    return undefined
  })
  yield* Stream.runForEach(snapshot.range(rangeOf(KeySpace.coin)), write)
  yield* attempt(() => file.add(changes.rest()))
  return yield* attempt(file.end)
})

type Dumped = EngineCalls["dumpCoins"]["out"]

/** Removes an unfinished file. Errors of the removal are ignored in favour of the error that ended the dump. */
const drop = async (file: FileHandle, path: string): Promise<void> => {
  await file.close().catch(() => undefined)
  await unlink(path).catch(() => undefined)
}

/**
 * Writes the coins of the tip, or of a block before it, into a file. `most` limits how many may differ from those of
 * the tip.
 */
export const coinDump = (
  engine: ChainEngine,
  writer: Writer,
  most = MOST_CHANGED_COINS
): Handlers<"dumpCoins"> => {
  const { crypto, network, store, tree } = engine

  const dump = Effect.fnUntraced(function*(file: FileHandle, height: Height | undefined) {
    const { snapshot, tip } = yield* writer.alone(Effect.gen(function*() {
      yield* commit(engine)
      return { tip: tree.tip, snapshot: yield* store.snapshot }
    }))
    const work = Effect.gen(function*() {
      const target = ancestorAt(tip, Math.min(height ?? tip.height, tip.height)) as HeaderIndexNode
      const changes = changedCoins()
      for (let node = tip; node.height > target.height; node = node.parent!) {
        yield* takeBack(engine, node, changes)
        if (changes.size() > most) return yield* Effect.fail(failed("the block is too far back"))
        yield* Effect.yieldNow
      }
      const written = snapshotFile(file, network.magic, target.hash, crypto)
      const { coins, setHash } = yield* writeCoins(snapshot, changes, written)
      const answer: Dumped = {
        coins,
        setHash,
        block: target.hash.slice(),
        height: target.height,
        transactions: tree.columns.chainTransactions[target.index]!
      }
      return answer
    })
    return yield* ensuring(work, snapshot.close)
  })

  return {
    dumpCoins: ({ file: path, height }) =>
      acquireUseRelease(
        attempt(() => open(path, "w")),
        (file) => asFault(Effect.tap(dump(file, height), attempt(() => file.close()))),
        (file, exit) => Exit.isSuccess(exit) ? Effect.void : Effect.promise(() => drop(file, path))
      )
  }
}
