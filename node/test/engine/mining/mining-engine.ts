import * as Effect from "effect/Effect"
import type { NodeEvent } from "../../../src/events/node-event.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { EngineOptions } from "../../../src/engine/options/engine-options.ts"
import type { MakeExtension } from "../../../src/engine/chainstate/extension.ts"
import type { TxMempool } from "../../../src/engine/txmempool/contract.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { coinbaseAt, loose, mine, PAY_TO_ANCHOR } from "../mempool/loose-transactions.ts"
import { testEngine } from "../test-engine.ts"
import { add, emptyMempool } from "../txmempool/mempools.ts"

export const START = 1_700_000_000

/** Puts a mempool beside an engine, and lets it follow the chain. */
export const following = (mempool: TxMempool): MakeExtension => ({ clock }) =>
  Effect.succeed({
    mempool,
    hooks: [{
      connected: ({ block, transactionIds }) => {
        mempool.blockConnected(block.transactions, transactionIds, clock.now())
        mempool.tipChanged()
      },
      disconnected: () => mempool.tipChanged()
    }]
  })

/** Blocks of a chain on which the first coinbases are mature. */
export const MATURE = 110

/** An engine on a chain whose first coinbases anyone can spend, with a mempool that is filled by hand. */
export const miningEngine = Effect.fnUntraced(function*(options: Partial<EngineOptions> = {}) {
  const mempool = emptyMempool()
  const received: Array<EngineNotification> = []
  const engine = yield* testEngine({
    directory: yield* temporaryDirectory,
    mockTime: START,
    options,
    extensions: [following(mempool)],
    news: (news) => received.push(news)
  })
  yield* mine(engine, MATURE)
  received.length = 0
  const events = (type: NodeEvent["type"]): ReadonlyArray<unknown> =>
    received.splice(0).flatMap((news) => news._tag === "Event" && news.event.type === type ? [news.event.payload] : [])
  /** A transaction that spends the coinbase at a height and pays `fee`; entered as if it had been accepted. */
  const enter = Effect.fnUntraced(function*(height: number, fee: number) {
    const tx = loose({ inputs: [yield* coinbaseAt(engine, height)], values: [5_000_000_000n - BigInt(fee)] })
    add(mempool, tx, fee)
    return tx
  })
  return { ...engine, mempool, received, events, enter }
})

/** A request to mine what a template holds. */
export const mineTemplate = (blocks = 1) => ({
  script: PAY_TO_ANCHOR,
  blocks,
  maxTries: 1_000_000,
  transactions: undefined,
  submit: true
})
