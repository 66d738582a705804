import { changeCoin, type Coin, type Overlay, overlayOn, type UtxoView } from "@lockstep/kernel/utxo"
import type { OutPoint } from "@lockstep/kernel/model"

const mix = (value: number): number => {
  const mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  return Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
}

/** An outpoint that looks like any other. */
export const outPoint = (number: number, vout = 0): OutPoint => {
  const txid = new Uint8Array(32)
  for (let i = 0; i < 32; i++) txid[i] = mix(number * 32 + i + 1) >>> 20
  return { txid, vout }
}

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

/** Changes that take those of `overlay` back, once they are in `view`. */
export const reverseOf = (view: UtxoView, { changes }: Overlay): Overlay =>
  overlayOf(view, changes.outpoints.map((outpoint, i) => [outpoint, changes.values[i]!.before]))
