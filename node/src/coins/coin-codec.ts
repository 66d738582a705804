import { MAX_MONEY, MAX_SCRIPT_SIZE } from "@lockstep/kernel/constants"
import type { OutPoint } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import { StorageError } from "../storage/storage-error.ts"
import type { CoinNumbers } from "./cell-arena.ts"
import { asTyped } from "../typed-command.ts"

/*
 * A coin in the store:
 *
 * number(2 · height + coinbase) ‖ number(value) ‖ script
 *
 * Numbers have seven bits a byte, lowest first; the top bit says that more follow. The form has no version mark: a
 * change of it changes the data directory's schema version. It has no checksum either: the store seals its values.
 */

/** Maximum number of bytes before the script. */
export const COIN_HEAD = 5 + 8

const MAX_VALUE = Number(MAX_MONEY)
const MAX_CODE = 0xffff_ffff

/** Writes a number at `at`. Returns the offset of its end. */
const writeNumber = (bytes: Uint8Array, at: number, value: number): number => {
  let rest = value
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80
    rest = rest > 0x7fff_ffff ? Math.floor(rest / 128) : rest >>> 7
  }
  bytes[at++] = rest
  return at
}

/** Writes the numbers before the script. Returns the offset of the script. */
export const writeCoinHead = (bytes: Uint8Array, { code, value }: CoinNumbers): number =>
  writeNumber(bytes, writeNumber(bytes, 0, code), value)

/** Returns the end of the number at `at`, after the first byte without the top bit; −1 for an invalid number. */
const endOfNumber = (bytes: Uint8Array, at: number): number => {
  for (let end = at; end < bytes.length && end < at + 8; end++) {
    if (bytes[end]! < 0x80) return end > at && bytes[end] === 0 ? -1 : end + 1
  }
  return -1
}

const numberAt = (bytes: Uint8Array, at: number, end: number): number => {
  let value = 0
  for (let i = end - 1; i >= at; i--) value = value * 128 + (bytes[i]! & 0x7f)
  return value
}

/** Reads the numbers before the script. Returns the offset of the script, or −1 for invalid bytes. */
export const readCoinHead = (bytes: Uint8Array, into: CoinNumbers): number => {
  const middle = endOfNumber(bytes, 0)
  if (middle < 0) return -1
  const end = endOfNumber(bytes, middle)
  if (end < 0) return -1
  into.code = numberAt(bytes, 0, middle)
  into.value = numberAt(bytes, middle, end)
  return into.code <= MAX_CODE && into.value <= MAX_VALUE && bytes.length - end <= MAX_SCRIPT_SIZE ? end : -1
}

/** Computes the numbers of a coin. Precondition: its value is an amount of money. */
export const readNumbers = (coin: Coin, into: CoinNumbers): void => {
  into.code = coin.height * 2 + (coin.isCoinbase ? 1 : 0)
  into.value = Number(coin.value)
}

/** Encodes a coin. */
export const encodeCoin = (coin: Coin): Uint8Array => {
  const numbers: CoinNumbers = { code: 0, value: 0 }
  readNumbers(coin, numbers)
  const bytes = new Uint8Array(COIN_HEAD + coin.script.length)
  const head = writeCoinHead(bytes, numbers)
  bytes.set(coin.script, head)
  return bytes.subarray(0, head + coin.script.length)
}

/** Decodes a coin whose script is a view of the bytes. Returns `undefined` for invalid bytes. */
export const decodeCoin = (bytes: Uint8Array): Coin | undefined => {
  const numbers: CoinNumbers = { code: 0, value: 0 }
  const head = readCoinHead(bytes, numbers)
  if (head < 0) return undefined
  return {
    value: BigInt(numbers.value),
    script: bytes.subarray(head),
    height: numbers.code >>> 1,
    isCoinbase: (numbers.code & 1) === 1
  }
}

/** The error for an invalid coin in the store. */
export const brokenCoin = (operation: string, { txid, vout }: OutPoint): StorageError =>
  new StorageError({
    part: "key-value",
    operation,
    reason: "corrupt",
    message: `The stored coin ${Buffer.from(txid).reverse().toString("hex")}:${vout} is damaged: ` +
      `run ${asTyped("rebuild", "bitcoind -reindex-chainstate")}, which makes the coins anew from the block files.`
  })
