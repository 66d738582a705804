import { transactionId } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { unixSeconds } from "../../quantities.ts"
import type { EngineFault } from "../api/engine-error.ts"
import type { ImportChoice } from "../api/mempool-file-calls.ts"
import type { Writer } from "../chainstate/writer.ts"
import { periodicYield } from "../options/yield-to-event-loop.ts"
import { notifyLog } from "../notify/notifications.ts"
import type { Acceptance, MempoolContext } from "./contract.ts"
import { mempoolFileReader, type ReadTransaction } from "./mempool-file.ts"

/** The dependencies of loading. */
export interface LoadingParts {
  readonly context: MempoolContext
  readonly acceptance: Pick<Acceptance, "accept">
  readonly writer: Pick<Writer, "alone">
}

/** Outcomes of the transactions of a file. */
export interface LoadCounts {
  accepted: number
  failed: number
  expired: number
  /** Number of transactions that were in the mempool before. */
  known: number
  unbroadcast: number
}

export interface Loaded {
  readonly counts: Readonly<LoadCounts>
  /** The reason why the file could only be read in part. The part before it is loaded. */
  readonly fault: string | undefined
}

/** Submits one transaction of the file to the mempool, in the writer's turn. */
const loadOne = Effect.fnUntraced(function*(
  { acceptance, context, context: { engine } }: LoadingParts,
  { appliesDeltas, usesCurrentTime }: ImportChoice,
  { feeDelta, time: saved, tx }: ReadTransaction,
  counts: LoadCounts
) {
  const { settings, state } = context
  const { clock, crypto } = engine
  const now = clock.now()
  const time = usesCurrentTime ? now : saved
  if (appliesDeltas && feeDelta !== 0n) state.prioritise(transactionId(tx, crypto), feeDelta)
  if (time <= now - settings.expirySeconds) {
    counts.expired++
    return
  }
  const { _tag } = yield* acceptance.accept(tx, { time: unixSeconds(time), isSaved: true })
  if (_tag === "Accepted") counts.accepted++
  else if (_tag === "InMempool") counts.known++
  else counts.failed++
  engine.crashPoint("mempool-transaction-loaded")
})

/**
 * Loads a file into the mempool one transaction at a time. Each takes its own turn of the writer, so blocks and calls
 * run in between. Fails if the engine is broken.
 */
export const loadMempool = Effect.fnUntraced(function*(
  parts: LoadingParts,
  bytes: Uint8Array,
  choice: ImportChoice
): Effect.fn.Return<Loaded, EngineFault> {
  const { context: { engine, state }, writer } = parts
  const counts: LoadCounts = { accepted: 0, failed: 0, expired: 0, known: 0, unbroadcast: 0 }
  const reader = mempoolFileReader(bytes)
  if (Result.isFailure(reader)) return { counts, fault: reader.failure }
  const { declared, lists, next } = reader.success
  notifyLog(engine, "debug", "A saved mempool is being loaded", { transactions: declared })
  const pause = periodicYield()
  for (let found = next(); found !== undefined; found = next()) {
    yield* writer.alone(loadOne(parts, choice, found, counts))
    yield* pause
  }
  engine.crashPoint("mempool-loaded")
  const { deltas, fault, unbroadcast } = lists()
  yield* writer.alone(Effect.sync(() => {
    if (choice.appliesDeltas) { for (const { feeDelta, txid } of deltas) state.prioritise(txid, feeDelta) }
    if (choice.appliesUnbroadcast) {
      for (const txid of unbroadcast) if (state.markUnbroadcast(txid)) counts.unbroadcast++
    }
  }))
  return { counts, fault }
})
