import type { Height, Sats } from "@lockstep/kernel/quantities"
import { KeySpace } from "../../storage/key-space.ts"
import type { PlacedOutput } from "./block-outputs.ts"

const HASH_SIZE = 32

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Copies bytes, because a buffer's own `slice` would be a view. */
const copyOf = (bytes: Uint8Array, from: number, to: number): Uint8Array => new Uint8Array(bytes.subarray(from, to))

/** Returns the range of all keys of a script in a space: the first bound is included, the second is not. */
export const scriptRange = (space: number, scriptHash: Uint8Array): { from: Uint8Array; to: Uint8Array } => {
  const from = new Uint8Array(1 + HASH_SIZE)
  from[0] = space
  from.set(scriptHash, 1)
  const to = new Uint8Array(1 + HASH_SIZE + 1 + HASH_SIZE).fill(0xff)
  to.set(from)
  return { from, to }
}

/** Amounts that a transaction of the chain moves to and from one script, in satoshis. */
export interface HistoryEntry {
  readonly height: Height
  /** Its index in the block. */
  readonly position: number
  readonly txid: Uint8Array
  readonly received: bigint
  readonly sent: bigint
}

export const historyKey = (scriptHash: Uint8Array, height: Height, position: number): Uint8Array => {
  const key = new Uint8Array(1 + HASH_SIZE + 8)
  key[0] = KeySpace.addressHistory
  key.set(scriptHash, 1)
  viewOf(key).setUint32(1 + HASH_SIZE, height)
  viewOf(key).setUint32(5 + HASH_SIZE, position)
  return key
}

/** Encodes the txid, then both amounts, big-endian. */
export const encodeHistory = ({ received, sent, txid }: Omit<HistoryEntry, "height" | "position">): Uint8Array => {
  const value = new Uint8Array(HASH_SIZE + 16)
  value.set(txid)
  viewOf(value).setBigInt64(HASH_SIZE, received)
  viewOf(value).setBigInt64(HASH_SIZE + 8, sent)
  return value
}

/** Returns `undefined` for invalid bytes. */
export const decodeHistory = (key: Uint8Array, value: Uint8Array): HistoryEntry | undefined => {
  if (key.length !== 1 + HASH_SIZE + 8 || value.length !== HASH_SIZE + 16) return undefined
  return {
    height: viewOf(key).getUint32(1 + HASH_SIZE),
    position: viewOf(key).getUint32(5 + HASH_SIZE),
    txid: copyOf(value, 0, HASH_SIZE),
    received: viewOf(value).getBigInt64(HASH_SIZE),
    sent: viewOf(value).getBigInt64(HASH_SIZE + 8)
  }
}

/** An unspent output of the chain. Its value is in satoshis. */
export interface UnspentEntry {
  readonly txid: Uint8Array
  readonly vout: number
  readonly value: Sats
  readonly height: Height
  readonly isCoinbase: boolean
}

export const unspentKey = (scriptHash: Uint8Array, { coin, txid, vout }: PlacedOutput): Uint8Array => {
  const key = new Uint8Array(1 + HASH_SIZE + 4 + HASH_SIZE + 4)
  key[0] = KeySpace.addressUnspent
  key.set(scriptHash, 1)
  viewOf(key).setUint32(33, coin.height)
  key.set(txid, 37)
  viewOf(key).setUint32(69, vout)
  return key
}

/** Encodes the value, big-endian, and 1 for an output of a coinbase. */
export const encodeUnspent = ({ coin: { isCoinbase, value } }: PlacedOutput): Uint8Array => {
  const bytes = new Uint8Array(9)
  viewOf(bytes).setBigInt64(0, value)
  bytes[8] = isCoinbase ? 1 : 0
  return bytes
}

/** Returns `undefined` for invalid bytes. */
export const decodeUnspent = (key: Uint8Array, value: Uint8Array): UnspentEntry | undefined => {
  if (key.length !== 73 || value.length !== 9) return undefined
  return {
    height: viewOf(key).getUint32(33),
    txid: copyOf(key, 37, 69),
    vout: viewOf(key).getUint32(69),
    value: viewOf(value).getBigInt64(0),
    isCoinbase: value[8] === 1
  }
}

/** Returns the bound before all keys of a value and after those of smaller ones. */
const firstOfValue = (value: Sats): Uint8Array => {
  const key = new Uint8Array(9)
  key[0] = KeySpace.valueUnspent
  viewOf(key).setBigInt64(1, value)
  return key
}

/** Returns the range of all keys of values from `least` to `most`, both included. */
export const valueRange = (least: bigint, most: bigint): { from: Uint8Array; to: Uint8Array } => ({
  from: firstOfValue(least),
  to: firstOfValue(most + 1n)
})

export const valueKey = ({ coin, txid, vout }: PlacedOutput): Uint8Array => {
  const key = new Uint8Array(1 + 8 + HASH_SIZE + 4)
  key[0] = KeySpace.valueUnspent
  viewOf(key).setBigInt64(1, coin.value)
  key.set(txid, 9)
  viewOf(key).setUint32(41, vout)
  return key
}

/** Encodes the height, and 1 for an output of a coinbase. */
export const encodeValue = ({ coin: { height, isCoinbase } }: PlacedOutput): Uint8Array => {
  const bytes = new Uint8Array(5)
  viewOf(bytes).setUint32(0, height)
  bytes[4] = isCoinbase ? 1 : 0
  return bytes
}

/** Returns `undefined` for invalid bytes. */
export const decodeValue = (key: Uint8Array, value: Uint8Array): UnspentEntry | undefined => {
  if (key.length !== 45 || value.length !== 5) return undefined
  return {
    value: viewOf(key).getBigInt64(1),
    txid: copyOf(key, 9, 41),
    vout: viewOf(key).getUint32(41),
    height: viewOf(value).getUint32(0),
    isCoinbase: value[4] === 1
  }
}
