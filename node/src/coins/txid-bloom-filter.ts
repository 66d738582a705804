import { hashTransaction } from "./outpoint-words.ts"

/**
 * A scalable Bloom filter of the transactions that may have coins in the store. It has no false negatives and few false
 * positives. A block looks up each output that it creates: the filter answers without a disk access.
 */
export interface TxidBloomFilter {
  readonly seeds: readonly [number, number]
  readonly maxBytes: number
  readonly layers: Array<Layer>
  bytes: number
  /** False if no filter is kept, so that every look-up goes to the store. */
  isKept: boolean
}

/** A Bloom filter of fixed size. When it is full, a larger one is added. */
interface Layer {
  readonly bits: Int32Array
  free: number
}

const SMALLEST_BITS = 2 ** 20
const GROWTH = 4
/** With five probes the rate of false positives is about one in a hundred. */
const BITS_PER_TRANSACTION = 10
const PROBES = 5

/** Makes a filter. `isEmpty` is true if the store has no coins yet; only then are its contents known. */
export const txidBloomFilter = (seed: number, maxBytes: number, isEmpty: boolean): TxidBloomFilter => ({
  seeds: [seed, ~seed],
  maxBytes,
  layers: [],
  bytes: 0,
  isKept: isEmpty
})

const layerHas = ({ bits }: Layer, first: number, second: number): boolean => {
  const mask = bits.length * 32 - 1
  for (let i = 0; i < PROBES; i++) {
    const bit = (first + Math.imul(i, second)) & mask
    if ((bits[bit >>> 5]! & (1 << (bit & 31))) === 0) return false
  }
  return true
}

const someLayerHas = ({ layers }: TxidBloomFilter, first: number, second: number): boolean => {
  for (let i = layers.length - 1; i >= 0; i--) if (layerHas(layers[i]!, first, second)) return true
  return false
}

/** Reports whether the store may have a coin of this transaction. */
export const mayContainTxid = (known: TxidBloomFilter, txid: Uint8Array): boolean =>
  !known.isKept || someLayerHas(known, hashTransaction(known.seeds[0], txid), hashTransaction(known.seeds[1], txid) | 1)

const roomyLayer = (known: TxidBloomFilter): Layer | undefined => {
  const last = known.layers.at(-1)
  if (last !== undefined && last.free > 0) return last
  const size = last === undefined ? SMALLEST_BITS : last.bits.length * 32 * GROWTH
  if (known.bytes + size / 8 > known.maxBytes) return undefined
  const layer = { bits: new Int32Array(size / 32), free: Math.floor(size / BITS_PER_TRANSACTION) }
  known.layers.push(layer)
  known.bytes += size / 8
  return layer
}

/** Adds a transaction of which the store may now have coins. */
export const addTxid = (known: TxidBloomFilter, txid: Uint8Array): void => {
  if (!known.isKept) return
  const [first, second] = [hashTransaction(known.seeds[0], txid), hashTransaction(known.seeds[1], txid) | 1]
  if (someLayerHas(known, first, second)) return
  const layer = roomyLayer(known)
  if (layer === undefined) {
    // The memory limit is reached.
    known.isKept = false
    known.layers.length = 0
    known.bytes = 0
    return
  }
  layer.free--
  const mask = layer.bits.length * 32 - 1
  for (let i = 0; i < PROBES; i++) {
    const bit = (first + Math.imul(i, second)) & mask
    layer.bits[bit >>> 5] = layer.bits[bit >>> 5]! | (1 << (bit & 31))
  }
}
