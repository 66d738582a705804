import type { RelayRejectionClass } from "@lockstep/protocol/rejection/relay-class.ts"
import type { MempoolFigures, TransactionOutcome } from "../api/mempool-calls.ts"
import type { MempoolContext, MempoolListener } from "./contract.ts"

/** Counters of the events of a mempool since its start. */
export interface FigureCounts {
  readonly listener: MempoolListener
  /** Counts the outcome of a submitted transaction, tests apart. */
  readonly count: (outcome: TransactionOutcome) => void
  readonly figures: (context: MempoolContext) => MempoolFigures
}

const increase = <K>(counts: Map<K, number>, key: K): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

export const figureCounts = (): FigureCounts => {
  let added = 0
  const removed = new Map<string, number>()
  const rejected = new Map<RelayRejectionClass, number>()
  return {
    listener: {
      added: () => void added++,
      removed: ({ reason }) => increase(removed, reason)
    },
    count: (outcome) => {
      if (outcome._tag === "Rejected") increase(rejected, outcome.rejection.what)
    },
    figures: ({ engine, foreseenMinimumFee, settings, state }) => {
      const { count, usage, virtualSize } = state.totals()
      return {
        transactions: count,
        virtualSize,
        usage,
        outputRecordBytes: engine.unconfirmed?.bytes() ?? 0,
        maxBytes: settings.maxBytes,
        minimumFee: foreseenMinimumFee(),
        unbroadcast: state.unbroadcast().length,
        added,
        removed: Object.fromEntries(removed),
        rejected: Object.fromEntries(rejected)
      }
    }
  }
}
