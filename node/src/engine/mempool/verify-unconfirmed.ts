import { tableSeed } from "@lockstep/kernel/connect"
import type { Transaction } from "@lockstep/kernel/model"
import type { ScriptFlags } from "@lockstep/kernel/script"
import { type Coin, overlayOn } from "@lockstep/kernel/utxo"
import type * as Effect from "effect/Effect"
import type { ChainEngine } from "../chain-engine.ts"
import type { JobFailure, ScriptPoolFailure } from "../script-pool/script-pool.ts"

/** Has the script workers verify an unconfirmed transaction, as if it were all of a block. */
export const verifyUnconfirmed = (
  { coins: view, pool, tree: { tip } }: ChainEngine,
  tx: Transaction,
  coins: ReadonlyArray<Coin>,
  flags: ScriptFlags
): Effect.Effect<JobFailure | undefined, ScriptPoolFailure> =>
  pool.judge({ header: tip.header, transactions: [tx], bytes: tx.bytes }, {
    failure: undefined,
    jobs: [{ tx, coins, flags }],
    delta: overlayOn(view, 0, tableSeed(tip.hash)),
    undo: { spent: [], replaced: [] },
    fees: 0n,
    sigOpCost: 0
  })
