import type { OutPoint } from "@lockstep/kernel/model"
import { changeCoin, type Coin, type Overlay, overlayOn, type UtxoView } from "@lockstep/kernel/utxo"

/** Spreads numbers so that neighbours have nothing in common. */
const mix = (number: number): number => {
  const once = Math.imul(number ^ (number >>> 16), 0x7feb352d)
  const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b)
  return (twice ^ (twice >>> 16)) >>> 0
}

const filled = (size: number, number: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  for (let i = 0; i < size; i++) bytes[i] = mix(number * 8 + (i >>> 2) + 1) >>> ((i & 3) * 8)
  return bytes
}

/** Scripts of the sizes that most coins have. */
const SIZES = [22, 22, 25, 34]

/** Coin `number` of a set of any size: two of each transaction. */
export const outPointOf = (number: number): OutPoint => ({ txid: filled(32, number >>> 1), vout: number & 1 })

const coinOf = (number: number): Coin => ({
  value: BigInt(mix(number)),
  script: filled(SIZES[number % SIZES.length]!, number + 0x1000_0000),
  height: 100_000 + (number >>> 12),
  isCoinbase: false
})

/** A number below `below`, `at` steps into a row without a pattern. */
export const randomBelow = (below: number, at: number): number => mix(at + 0x2000_0000) % below

/** What a block does that spends and creates these coins. */
export const overlayOf = (view: UtxoView, spent: ReadonlyArray<number>, created: ReadonlyArray<number>): Overlay => {
  const overlay = overlayOn(view, spent.length + created.length, 1)
  for (const number of spent) changeCoin(overlay, outPointOf(number), undefined)
  for (const number of created) changeCoin(overlay, outPointOf(number), coinOf(number))
  return overlay
}
