import type { Transaction } from "@lockstep/kernel/model"
import type { ScriptFlags } from "@lockstep/kernel/script"
import type { Coin } from "@lockstep/kernel/utxo"
import type * as Effect from "effect/Effect"
import type { ChainEngine } from "../chain-engine.ts"
import type { JobFailure, ScriptPoolFailure } from "../script-pool/script-pool.ts"

/** Has the script workers verify an unconfirmed transaction, as if it were all of a block. They start at once. */
export const verifyUnconfirmed = (
  { pool, tree: { tip } }: Pick<ChainEngine, "pool" | "tree">,
  tx: Transaction,
  coins: ReadonlyArray<Coin>,
  flags: ScriptFlags
): Effect.Effect<JobFailure | undefined, ScriptPoolFailure> =>
  pool.judge({ header: tip.header, transactions: [tx], bytes: tx.bytes }, { jobs: [{ tx, coins, flags }] })
