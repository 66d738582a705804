import * as Effect from "effect/Effect"
import type { PoolTransaction } from "../calls/network-calls.ts"
import type { MakeExtension } from "../engine.ts"
import { tellConfirmed } from "./confirmed-news.ts"
import { transactionPool } from "./transaction-pool.ts"

/** The pool of loose transactions, as a part of the engine that follows the chain. */
export const pool: MakeExtension = (engine, writer) =>
  Effect.sync(() => {
    const { accept, all, connected, disconnected, entries, rate, rejudge } = transactionPool(engine)
    /** Whoever begins to follow the pool learns what it takes, unless that is what it takes at first. */
    const told = (): ReadonlyArray<PoolTransaction> => {
      if (rate() > 0) engine.tell({ _tag: "PoolRate", rate: rate() })
      return all()
    }
    let isScheduled = false
    /** Whoever comes first judges anew: this, if nobody brings a transaction. */
    const schedule = (): void => {
      if (isScheduled) return
      isScheduled = true
      const over = Effect.sync(() => {
        isScheduled = false
      })
      Effect.runFork(Effect.ignore(writer.alone(Effect.andThen(over, rejudge))))
    }
    return {
      hook: {
        connected: ({ block, transactionIds }) => {
          connected(block, transactionIds)
          tellConfirmed(engine, block, transactionIds)
        },
        isIdle: () => entries.byTxid.size === 0,
        disconnected: ({ block }) => {
          disconnected(block)
          schedule()
        }
      },
      handlers: {
        acceptTransaction: ({ bytes, mostRate }) => writer.alone(accept(bytes, mostRate)),
        poolIds: () => Effect.sync(() => [...entries.byTxid.values()].map(({ txid }) => txid)),
        followPool: () => writer.alone(Effect.andThen(rejudge, Effect.sync(told)))
      }
    }
  })
