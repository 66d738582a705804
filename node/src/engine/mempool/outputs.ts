import type { OutPoint } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import type { EngineCalls } from "../api/engine-calls.ts"
import type { OutputFacts } from "../api/mempool-calls.ts"
import type { MempoolContext } from "./contract.ts"

/**
 * Outputs as the next transaction could find them. A transaction of the mempool hides the coins with its txid.
 * Precondition: no block is being connected.
 */
export const outputsAt = Effect.fnUntraced(function*(
  { engine: { coins, tree }, state }: Pick<MempoolContext, "engine" | "state">,
  outpoints: ReadonlyArray<OutPoint>
): Effect.fn.Return<EngineCalls["outputs"]["out"], StorageError> {
  yield* coins.prefetchCoins(outpoints.filter(({ txid }) => state.ofTxid(txid) === undefined))
  const outputs = outpoints.map((outpoint): OutputFacts | undefined => {
    const isSpent = state.spenderOf(outpoint) !== undefined
    const tx = state.ofTxid(outpoint.txid)
    if (tx !== undefined) {
      const output = state.transaction(tx).outputs[outpoint.vout]
      return output &&
        { value: output.value, script: output.script.slice(), isCoinbase: false, confirmations: 0, isSpent }
    }
    const coin = coins.coinAt(outpoint)
    if (coin === undefined) return undefined
    const { height, isCoinbase, script, value } = coin
    return { value, script: script.slice(), isCoinbase, confirmations: tree.tip.height - height + 1, isSpent }
  })
  return { tip: tree.tip.hash.slice(), outputs }
})
