import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import type { StorageError } from "../../storage/storage-error.ts"
import type { MempoolContext } from "./contract.ts"
import { encodeMempoolFile, type SavedMempool } from "./mempool-file.ts"
import { writeSaved } from "./saved-file.ts"

const KEY_BYTES = 8

/** The mempool as its file holds it. */
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

/** Saves the mempool so that the file is there completely or as it was. */
export const saveMempool = (context: MempoolContext, path: string): Effect.Effect<void, StorageError> =>
  Effect.suspend(() => {
    const bytes = encodeMempoolFile(savedOf(context), randomBytes(KEY_BYTES))
    context.engine.crashPoint("before-mempool-save")
    return writeSaved(context.engine, path, bytes)
  })
