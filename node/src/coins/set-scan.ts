import type { PlacedCoin } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { KeySpace, rangeOf } from "../storage/key-space.ts"
import type { KeyValueReader } from "../storage/key-value/key-value-store.ts"
import { brokenCoin, decodeCoin } from "./coin-codec.ts"
import { outPointOfKey } from "./coin-key.ts"

/** A running scan, for callers that query its progress or abort it. */
export interface ScanControl {
  /** Percentage of the set, from its present position in the order of txids. */
  progress: number
  isAborted: boolean
}

/** The result of a scan. */
export interface SetScan {
  readonly isComplete: boolean
  /** Number of coins scanned. */
  readonly coins: number
  readonly found: ReadonlyArray<PlacedCoin>
}

/** Number of coins read before other tasks get their turn: about a millisecond of work. */
const AT_ONCE = 512

const digest = (script: Uint8Array): string =>
  Buffer.from(script.buffer, script.byteOffset, script.byteLength).toString("latin1")

/** Scans all coins of a snapshot for those with one of these scripts. */
export const scanSet = Effect.fn("CoinSet.scan")(function*(
  snapshot: KeyValueReader,
  scripts: ReadonlyArray<Uint8Array>,
  control: ScanControl
) {
  const wanted = new Set(scripts.map(digest))
  const found: Array<PlacedCoin> = []
  let coins = 0
  yield* Stream.runForEach(
    Stream.takeWhile(snapshot.range(rangeOf(KeySpace.coin)), () => !control.isAborted),
    (entries) =>
      Effect.gen(function*() {
        for (const [key, value] of entries) {
          const outpoint = outPointOfKey(key)
          const coin = decodeCoin(value)
          if (coin === undefined) return yield* brokenCoin("scan of the coins", outpoint)
          coins++
          if (wanted.has(digest(coin.script))) found.push({ outpoint, coin })
          if (coins % AT_ONCE !== 0) continue
          control.progress = Math.floor((outpoint.txid[0]! * 256 + outpoint.txid[1]!) * 100 / 65_536 + 0.5)
          yield* Effect.yieldNow
          if (control.isAborted) return
        }
      })
  )
  const scan: SetScan = { isComplete: !control.isAborted, coins, found }
  return scan
})
