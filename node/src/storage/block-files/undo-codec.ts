import { cursorOn, readCompactSize } from "@lockstep/kernel/bytes"
import { MAX_MONEY } from "@lockstep/kernel/constants"
import type { BlockUndo, Coin, PlacedCoin } from "@lockstep/kernel/utxo"
import type { UndoCodec } from "./block-files.ts"
import { readAmount, writeAmount } from "./compressed-amount.ts"
import { readScript, SCRIPT_OVERHEAD, writeScript } from "./compressed-script.ts"
import { readVarint, type VarintCursor, writeVarint } from "./varint.ts"

/*
 * Undo data of a block:
 *
 * compactSize(transactions − 1), each: compactSize(inputs), each a coin coin: varint(2 · height + coinbase), a zero
 * unless the height is 0, amount, script
 *
 * Bitcoin Core's format ends here. After it, and only for the two blocks that repeat a coinbase:
 *
 * varint(coins), each: transaction id (32), varint(output), coin
 *
 * A reader without this part finds it in those two blocks only, as a checksum that does not match.
 */

/** Maximum number of bytes of a coin beyond its script, and of a count. */
const OVERHEAD = 5 + 1 + 9 + SCRIPT_OVERHEAD + 9
const MAX_CODE = 0xffff_ffff

const writeCompactSize = (bytes: Uint8Array, at: number, value: number): number => {
  if (value < 253) {
    bytes[at] = value
    return at + 1
  }
  const width = value <= 0xffff ? 2 : 4
  bytes[at] = width === 2 ? 253 : 254
  for (let i = 0; i < width; i++) bytes[at + 1 + i] = value >>> (8 * i)
  return at + 1 + width
}

const writeCoin = (bytes: Uint8Array, at: number, coin: Coin): number => {
  let end = writeVarint(bytes, at, coin.height * 2 + (coin.isCoinbase ? 1 : 0))
  // Formerly the version of the transaction; readers still skip it.
  if (coin.height > 0) bytes[end++] = 0
  end = writeAmount(bytes, end, coin.value)
  return writeScript(bytes, end, coin.script)
}

const readCoin = (cursor: VarintCursor): Coin | undefined => {
  const code = readVarint(cursor)
  const height = Math.floor(code / 2)
  if (height > 0) readVarint(cursor)
  const value = readAmount(cursor)
  const script = readScript(cursor)
  return script === undefined || code > MAX_CODE || value > MAX_MONEY
    ? undefined
    : { value, script, height, isCoinbase: code % 2 === 1 }
}

const readCount = (cursor: VarintCursor): number => {
  if (cursor.at < 0) return 0
  const kernelCursor = cursorOn(cursor.bytes)
  kernelCursor.offset = cursor.at
  const count = readCompactSize(kernelCursor)
  cursor.at = kernelCursor.broken === undefined ? kernelCursor.offset : -1
  return count
}

const readSpent = (cursor: VarintCursor): ReadonlyArray<Coin> | undefined => {
  const spent: Array<Coin> = []
  for (let left = readCount(cursor); left > 0; left--) {
    const coin = readCoin(cursor)
    if (coin === undefined) return undefined
    spent.push(coin)
  }
  return cursor.at < 0 ? undefined : spent
}

const readReplaced = (cursor: VarintCursor): ReadonlyArray<PlacedCoin> | undefined => {
  const replaced: Array<PlacedCoin> = []
  for (let left = readVarint(cursor); left > 0; left--) {
    const { at, bytes } = cursor
    if (at < 0 || at + 32 > bytes.length) return undefined
    cursor.at = at + 32
    const vout = readVarint(cursor)
    const coin = readCoin(cursor)
    if (coin === undefined) return undefined
    replaced.push({ outpoint: { txid: bytes.subarray(at, at + 32), vout }, coin })
  }
  // An empty list would be a second encoding of an absent section.
  return replaced.length === 0 ? undefined : replaced
}

/** Decodes undo data; scripts are views of `bytes`. Returns `undefined` unless `bytes` are exactly that. */
export const decodeUndo = (bytes: Uint8Array): BlockUndo | undefined => {
  const cursor: VarintCursor = { bytes, at: 0 }
  const spent: Array<ReadonlyArray<Coin>> = []
  for (let left = readCount(cursor); left > 0; left--) {
    const coins = readSpent(cursor)
    if (coins === undefined) return undefined
    spent.push(coins)
  }
  if (cursor.at < 0) return undefined
  const replaced = cursor.at === bytes.length ? [] : readReplaced(cursor)
  return replaced === undefined || cursor.at !== bytes.length ? undefined : { spent, replaced }
}

/** Makes a codec with its own buffer, which grows to the largest undo data so far. The caller owns the result of `encode`. */
export const undoCodec = (): UndoCodec => {
  let buffer = new Uint8Array(1 << 16)

  const reserve = (at: number, size: number): void => {
    if (at + size <= buffer.length) return
    const larger = new Uint8Array((at + size) * 2)
    larger.set(buffer.subarray(0, at), 0)
    buffer = larger
  }

  const encode = ({ replaced, spent }: BlockUndo): Uint8Array => {
    let at = writeCompactSize(buffer, 0, spent.length)
    for (const coins of spent) {
      reserve(at, OVERHEAD)
      at = writeCompactSize(buffer, at, coins.length)
      for (const coin of coins) {
        reserve(at, OVERHEAD + coin.script.length)
        at = writeCoin(buffer, at, coin)
      }
    }
    if (replaced.length === 0) return buffer.slice(0, at)
    reserve(at, OVERHEAD)
    at = writeVarint(buffer, at, replaced.length)
    for (const { coin, outpoint } of replaced) {
      reserve(at, 32 + OVERHEAD + coin.script.length)
      buffer.set(outpoint.txid, at)
      at = writeCoin(buffer, writeVarint(buffer, at + 32, outpoint.vout), coin)
    }
    return buffer.slice(0, at)
  }

  return { encode, decode: decodeUndo }
}
