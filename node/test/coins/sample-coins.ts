import type { Coin, UtxoView } from "@lockstep/kernel/utxo/coin.ts"
import { changeCoin, type Overlay, overlayOn } from "@lockstep/kernel/utxo/overlay.ts"
import type { OutPoint } from "@lockstep/kernel/model/transaction.ts"
import { createHash } from "node:crypto"

/** An outpoint that looks like any other. */
export const outPoint = (number: number, vout = 0): OutPoint =>
  ({ txid: new Uint8Array(createHash("sha256").update(String(number)).digest()), vout })

export const sampleCoin = (number: number, size = 25): Coin => ({
  value: BigInt(number % 2_000_000) * 1_000_000_007n,
  script: Uint8Array.from({ length: size }, (_, i) => number + i),
  height: number,
  isCoinbase: number % 2 === 1
})

/** Changes on top of `view`: a coin, or none, at each outpoint. */
export const overlayOf = (view: UtxoView, changes: ReadonlyArray<readonly [OutPoint, Coin | undefined]>): Overlay => {
  const overlay = overlayOn(view, changes.length, 7)
  for (const [outpoint, after] of changes) changeCoin(overlay, outpoint, after)
  return overlay
}
