import { hashTransaction } from "./outpoint-words.ts"

/**
 * Which transactions may have coins in the store: never says no to one that has, and seldom says maybe to one that has
 * none. It answers the question that a block asks for each output it creates — is there a coin here already? — without
 * a look at the disk.
 */
export interface KnownTransactions {
  readonly seeds: readonly [number, number]
  readonly maxBytes: number
  readonly layers: Array<Layer>
  bytes: number
  /** Off: nothing is left out, the store is asked about everything. */
  isKept: boolean
}

/** A Bloom filter of fixed size; a full one gets a larger one beside it. */
interface Layer {
  readonly bits: Int32Array
  free: number
}

const SMALLEST_BITS = 2 ** 20
const GROWTH = 4
/** With five probes about one in a hundred strangers is taken for known. */
const BITS_PER_TRANSACTION = 10
const PROBES = 5

/** `isEmpty`: the store has no coins yet. Only then is it known what it will have. */
export const knownTransactions = (seed: number, maxBytes: number, isEmpty: boolean): KnownTransactions => ({
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

const someLayerHas = ({ layers }: KnownTransactions, first: number, second: number): boolean => {
  for (let i = layers.length - 1; i >= 0; i--) if (layerHas(layers[i]!, first, second)) return true
  return false
}

/** Whether the store may have a coin of this transaction. */
export const mayBeKnown = (known: KnownTransactions, txid: Uint8Array): boolean =>
  !known.isKept || someLayerHas(known, hashTransaction(known.seeds[0], txid), hashTransaction(known.seeds[1], txid) | 1)

const roomyLayer = (known: KnownTransactions): Layer | undefined => {
  const last = known.layers.at(-1)
  if (last !== undefined && last.free > 0) return last
  const size = last === undefined ? SMALLEST_BITS : last.bits.length * 32 * GROWTH
  if (known.bytes + size / 8 > known.maxBytes) return undefined
  const layer = { bits: new Int32Array(size / 32), free: Math.floor(size / BITS_PER_TRANSACTION) }
  known.layers.push(layer)
  known.bytes += size / 8
  return layer
}

/** From now on the store may have coins of this transaction. */
export const addKnown = (known: KnownTransactions, txid: Uint8Array): void => {
  if (!known.isKept) return
  const [first, second] = [hashTransaction(known.seeds[0], txid), hashTransaction(known.seeds[1], txid) | 1]
  if (someLayerHas(known, first, second)) return
  const layer = roomyLayer(known)
  if (layer === undefined) {
    // No room is left.
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
