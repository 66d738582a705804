import * as Effect from "effect/Effect"
import { unixSeconds } from "../../quantities.ts"
import type { LastTemplate, MiningCalls } from "../api/mining-calls.ts"
import type { Handlers } from "../api/handler.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { ChainHook } from "../state/chain-hook.ts"
import { nextBlock } from "./next-block.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { txMempool } from "../txmempool/txmempool.ts"
import { makeTemplates } from "./block-template.ts"
import { generate } from "./generate.ts"
import { miningOptionsOf } from "./pooled-contents.ts"
import { templateHook, templateUpdated } from "./template-notifications.ts"

/** Makes blocks and handles the calls of miners. */
export interface Mining {
  readonly handlers: Handlers<keyof MiningCalls>
  readonly hook: ChainHook
}

/** An empty mempool, for an engine without one. */
const noMempool = (): TxMempool =>
  txMempool({ limits: { transactions: 1, size: 1 }, maxBytes: 0, incrementalFee: 0, seed: 0, now: unixSeconds(0) })

/** Mining on the chain of an engine, from its mempool if it has one. */
export const makeMining = (engine: ChainEngine, writer: Writer, mempool: TxMempool = noMempool()): Mining => {
  let last: LastTemplate | undefined
  const made = (
    { transactions, weight }: { readonly transactions: ReadonlyArray<unknown>; readonly weight: number }
  ) => {
    last = { weight, transactions: transactions.length }
  }
  const templates = makeTemplates(engine, mempool, made)
  return {
    handlers: {
      blockTemplate: () =>
        writer.alone(Effect.map(templates.current, ({ isRemade, template }) => {
          if (isRemade) engine.notify({ _tag: "Event", event: templateUpdated(engine, template.transactions.length) })
          return template
        })),
      miningFacts: () =>
        Effect.sync(() => ({
          next: nextBlock(engine),
          last,
          pooled: mempool.totals().count,
          blockMinFee: miningOptionsOf(engine).blockMinFee
        })),
      mempoolUpdates: () => Effect.sync(() => ({ now: mempool.updates(), atTemplate: templates.updates() })),
      generate: (request) => writer.change(generate(engine, mempool, request, made))
    },
    hook: templateHook(engine, mempool)
  }
}
