import { tableSeed } from "@lockstep/kernel/connect/collect.ts"
import type { Transaction } from "@lockstep/kernel/model/transaction.ts"
import type { ScriptFailure } from "@lockstep/kernel/script/fault.ts"
import type { ScriptFlags } from "@lockstep/kernel/script/flags.ts"
import type { Coin } from "@lockstep/kernel/utxo/coin.ts"
import { overlayOn } from "@lockstep/kernel/utxo/overlay.ts"
import type * as Effect from "effect/Effect"
import type { ChainEngine } from "../chain-engine.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"

/** Has the script workers judge a transaction outside of any block: for them it is all there is of one. */
export const judgeLoose = (
  { coins: view, pool, tree: { tip } }: ChainEngine,
  tx: Transaction,
  coins: ReadonlyArray<Coin>,
  flags: ScriptFlags
): Effect.Effect<ScriptFailure | undefined, ScriptPoolFailure> =>
  pool.judge({ header: tip.header, transactions: [tx], bytes: tx.bytes }, {
    failure: undefined,
    jobs: [{ tx, coins, flags }],
    delta: overlayOn(view, 0, tableSeed(tip.hash)),
    undo: { spent: [], replaced: [] },
    fees: 0n,
    sigOpCost: 0
  })
