import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import type { StorageError } from "../../storage/storage-error.ts"
import { notifyLog } from "../notify/notifications.ts"
import type { MempoolContext } from "./contract.ts"
import { encodeMempoolFile, type SavedMempool } from "./mempool-file.ts"
import { writeSaved } from "./saved-file.ts"

const KEY_BYTES = 8

/** The content of the mempool file. */
const savedOf = ({ state }: MempoolContext): SavedMempool => ({
  transactions: Array.from(state.graph.miningOrder(), (tx) => {
    const { bytes, fee, modifiedFee, time } = state.entry(tx)
    return { tx: { bytes }, time, feeDelta: modifiedFee - fee }
  }),
  deltas: state.prioritised().flatMap(({ delta, modifiedFee, txid }) =>
    modifiedFee === undefined ? [{ txid, feeDelta: delta }] : []
  ),
  unbroadcast: state.unbroadcast().map((tx) => state.entry(tx).txid)
})

/** Saves the mempool atomically and logs the time that it took. */
export const saveMempool = Effect.fnUntraced(function*(
  context: MempoolContext,
  path: string
): Effect.fn.Return<void, StorageError> {
  const { engine, engine: { clock } } = context
  const begun = clock.elapsed()
  const mempool = savedOf(context)
  const copied = clock.elapsed()
  const key = context.settings.savesVersion1 === true ? undefined : randomBytes(KEY_BYTES)
  const bytes = encodeMempoolFile(mempool, key)
  engine.crashPoint("before-mempool-save")
  yield* writeSaved(engine, path, bytes)
  notifyLog(engine, "debug", "The mempool is saved", {
    transactions: mempool.transactions.length,
    unbroadcast: mempool.unbroadcast.length,
    bytes: bytes.length,
    copy_seconds: (copied - begun) / 1_000,
    write_seconds: (clock.elapsed() - copied) / 1_000
  })
})
