import * as Effect from "effect/Effect"
import type { MempoolTransaction } from "../api/network-calls.ts"
import type { MempoolCalls } from "../api/network-calls.ts"
import type { MakeExtension } from "../extension.ts"
import { notifyConfirmed } from "./confirmed-transactions.ts"
import { makeMempool } from "./mempool.ts"

/** The mempool, as a part of the engine that follows the chain. */
export const pool: MakeExtension<keyof MempoolCalls> = (engine, writer, background) =>
  Effect.sync(() => {
    const { accept, all, connected, disconnected, entries, rate, rejudge, test } = makeMempool(engine)
    /** A new subscriber gets the lowest rate of the mempool, unless it is the default. */
    const snapshot = (): ReadonlyArray<MempoolTransaction> => {
      if (rate() > 0) engine.tell({ _tag: "PoolRate", rate: rate() })
      return all()
    }
    let isScheduled = false
    /** Schedules a re-validation, in case no transaction arrives: the first of both re-validates. */
    const schedule = (): void => {
      if (isScheduled) return
      isScheduled = true
      const over = Effect.sync(() => {
        isScheduled = false
      })
      background.start(Effect.ignore(writer.alone(Effect.andThen(over, rejudge))))
    }
    return {
      hooks: [{
        connected: ({ block, transactionIds }) => {
          connected(block, transactionIds)
          notifyConfirmed(engine, block, transactionIds)
        },
        isIdle: () => entries.byTxid.size === 0,
        disconnected: ({ block }) => {
          disconnected(block)
          schedule()
        }
      }],
      handlers: {
        acceptTransaction: ({ bytes, mostRate }) => writer.alone(accept(bytes, mostRate)),
        testTransaction: ({ bytes, mostRate }) => writer.alone(test(bytes, mostRate)),
        poolIds: () => Effect.sync(() => [...entries.byTxid.values()].map(({ txid }) => txid)),
        followPool: () => writer.alone(Effect.andThen(rejudge, Effect.sync(snapshot)))
      }
    }
  })
