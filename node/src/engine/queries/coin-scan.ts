import { ancestorAt } from "@lockstep/kernel/chain"
import * as Effect from "effect/Effect"
import { type ScanControl, scanSet } from "../../coins/set-scan.ts"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { CoinScan } from "../api/coin-calls.ts"
import type { EngineCalls } from "../api/engine-calls.ts"
import type { Handlers } from "../api/handler.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import { asFault } from "../chainstate/faults.ts"
import type { Writer } from "../chainstate/writer.ts"

export type Scans = Handlers<"scanCoins" | "scanProgress" | "abortScan">

/** Scans over all coins, one at a time. */
export const coinScan = (engine: ChainEngine, writer: Writer): Scans => {
  let running: ScanControl | undefined

  const scan = Effect.fnUntraced(function*(scripts: ReadonlyArray<Uint8Array>, control: ScanControl) {
    const { store, tree } = engine
    const taken = yield* writer.alone(Effect.gen(function*() {
      yield* commit(engine)
      return { tip: tree.tip, snapshot: yield* store.snapshot }
    }))
    const { snapshot, tip } = taken
    const { coins, found, isComplete } = yield* asFault(ensuring(scanSet(snapshot, scripts, control), snapshot.close))
    return {
      isComplete,
      height: tip.height,
      block: tip.hash.slice(),
      coins,
      found: found.map(({ coin, outpoint }) => ({
        txid: outpoint.txid.slice(),
        vout: outpoint.vout,
        value: coin.value,
        script: coin.script.slice(),
        height: coin.height,
        isCoinbase: coin.isCoinbase,
        // Looked up in the branch of the scan's tip: the active chain may have changed meanwhile.
        block: ancestorAt(tip, coin.height)!.hash.slice()
      }))
    }
  })

  return {
    scanCoins: ({ scripts }) =>
      Effect.suspend((): Effect.Effect<CoinScan, EngineCalls["scanCoins"]["fails"]> => {
        if (running !== undefined) return Effect.fail({ _tag: "ScanInProgress" })
        const control: ScanControl = { progress: 0, isAborted: false }
        running = control
        return ensuring(
          scan(scripts, control),
          Effect.sync(() => {
            running = undefined
          })
        )
      }),
    scanProgress: () => Effect.sync(() => running?.progress),
    abortScan: () =>
      Effect.sync(() => {
        if (running === undefined) return false
        running.isAborted = true
        return true
      })
  }
}
