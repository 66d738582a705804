import { DEFAULT_RELAY_POLICY, type RelayPolicy, type ReplacementMode, replacementTerms } from "@lockstep/kernel/relay"
import type { Transaction } from "@lockstep/kernel/model"
import type { TxHandle } from "@lockstep/txgraph"
import * as Effect from "effect/Effect"
import type { MempoolQueryCalls } from "../../../src/engine/api/mempool-calls.ts"
import type { MakeExtension } from "../../../src/engine/chainstate/extension.ts"
import { mempoolQueryHandlers } from "../../../src/engine/mempool/query-handlers.ts"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../../src/engine/options/settings.ts"
import type { NewEntry, TxMempool } from "../../../src/engine/txmempool/contract.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"
import { add, emptyMempool, NOW } from "../txmempool/mempools.ts"

export interface QueryEngineOptions {
  readonly policy?: Partial<RelayPolicy>
  readonly isLoaded?: () => boolean
  readonly maxBytes?: number
  readonly mode?: ReplacementMode
  /** Memory for coins; next to none: what is on disk is not in memory as well. */
  readonly dbcacheBytes?: number
}

/** The part of an engine that answers questions about a mempool. */
export const queryExtension = (
  state: TxMempool,
  { isLoaded = () => true, maxBytes = 300_000_000, mode = "standard", policy = {} }: QueryEngineOptions = {}
): MakeExtension<keyof MempoolQueryCalls> =>
(engine, writer) =>
  Effect.sync(() => {
    const settings = {
      ...DEFAULT_MEMPOOL_SETTINGS,
      policy: { ...DEFAULT_RELAY_POLICY, ...policy },
      mode,
      terms: replacementTerms(mode),
      maxBytes
    }
    const context = { engine, settings, state, minimumFee: () => state.minimumFee(NOW) }
    return { handlers: mempoolQueryHandlers(context, writer, isLoaded) }
  })

/** An engine on a chain of its own, with a mempool to which entries are added as if they had been accepted. */
export const queryEngine = Effect.fnUntraced(function*(options: QueryEngineOptions = {}) {
  const state = emptyMempool({ maxBytes: options.maxBytes ?? 300_000_000 })
  const directory = yield* temporaryDirectory
  const engine = yield* testEngine({
    directory,
    extensions: [queryExtension(state, options)],
    mockTime: PLANTED_AT,
    ...options.dbcacheBytes !== undefined && { options: { dbcacheBytes: options.dbcacheBytes } }
  })
  const enter = (tx: Transaction, fee: number, changes?: Partial<NewEntry>): TxHandle => {
    const handle = add(state, tx, fee, changes)
    state.takeSequence()
    return handle
  }
  return { directory, engine, enter, state }
})
