import { cursorOn, readCompactSize } from "@lockstep/kernel/bytes"
import { MAX_MONEY } from "@lockstep/kernel/constants"
import type { FileHandle } from "node:fs/promises"
import { readAmount } from "../storage/block-files/compressed-amount.ts"
import { readScript } from "../storage/block-files/compressed-script.ts"
import { readVarint, type VarintCursor } from "../storage/block-files/varint.ts"
import type { KeyValue } from "../storage/key-value/key-value-store.ts"
import { encodeCoin } from "./coin-codec.ts"
import { coinKey } from "./coin-key.ts"

/** Reads the coins of a snapshot in steps. */
export interface SnapshotCoins {
  /** Returns the next coins in the form of the store; an empty list at the end; else an error in Bitcoin Core's words. */
  readonly next: () => Promise<ReadonlyArray<KeyValue> | string>
  readonly read: () => number
}

/** Number of coins returned by one step. */
const AT_ONCE = 25_000
/** Number of bytes read in one step. */
const CHUNK = 1 << 20
/** More bytes than any coin takes. */
const LONGEST_COIN = 16_384
const LAST_VOUT = 0xffff_ffff

interface Window {
  bytes: Uint8Array
  at: number
  isEnd: boolean
}

/** Fills the window with at least one whole coin, if the file has enough bytes. */
const fill = async (file: FileHandle, window: Window): Promise<void> => {
  while (!window.isEnd && window.bytes.length - window.at < LONGEST_COIN) {
    const rest = window.bytes.subarray(window.at)
    const bytes = new Uint8Array(rest.length + CHUNK)
    bytes.set(rest)
    const { bytesRead } = await file.read(bytes, rest.length, CHUNK)
    window.isEnd = bytesRead === 0
    window.bytes = bytes.subarray(0, rest.length + bytesRead)
    window.at = 0
  }
}

/** Reads the next length. Returns −1 if it is missing or not in its shortest form. */
const lengthIn = (window: Window): number => {
  const cursor = cursorOn(window.bytes.subarray(window.at))
  const length = readCompactSize(cursor)
  if (cursor.broken !== undefined) return -1
  window.at += cursor.offset
  return length
}

/** Progress of the reading. */
interface Progress {
  readonly total: number
  left: number
  txid: Uint8Array
  /** Remaining coins of this transaction. */
  ofTransaction: number
}

const truncated = ({ left, total }: Progress): string =>
  `Bad snapshot format or truncated snapshot after deserializing ${total - left} coins`

const beginTransaction = (window: Window, progress: Progress): string | undefined => {
  if (window.bytes.length - window.at < 32) return truncated(progress)
  progress.txid = window.bytes.slice(window.at, window.at + 32)
  window.at += 32
  const count = lengthIn(window)
  if (count < 0) return truncated(progress)
  if (count > progress.left) return "Mismatch in coins count in snapshot metadata and actual snapshot data"
  progress.ofTransaction = count
  return undefined
}

const nextCoin = (window: Window, progress: Progress, baseHeight: number): KeyValue | string => {
  const vout = lengthIn(window)
  if (vout < 0) return truncated(progress)
  const cursor: VarintCursor = { bytes: window.bytes, at: window.at }
  const code = readVarint(cursor)
  const value = readAmount(cursor)
  const script = readScript(cursor)
  if (cursor.at < 0 || script === undefined || code > 0xffff_ffff) return truncated(progress)
  const height = Math.floor(code / 2)
  const done = progress.total - progress.left
  if (height > baseHeight || vout >= LAST_VOUT) return `Bad snapshot data after deserializing ${done} coins`
  if (value > MAX_MONEY) return `Bad snapshot data after deserializing ${done} coins - bad tx out value`
  window.at = cursor.at
  progress.left--
  progress.ofTransaction--
  const coin = { height, isCoinbase: code % 2 === 1, value, script }
  return [coinKey({ txid: progress.txid, vout }), encodeCoin(coin)]
}

/** Reads the coins after the metadata of a snapshot file. `coins` is their number from the metadata. */
export const snapshotCoins = (file: FileHandle, coins: bigint, baseHeight: number): SnapshotCoins => {
  const window: Window = { bytes: new Uint8Array(0), at: 0, isEnd: false }
  const total = Number(coins)
  const progress: Progress = { total, left: total, txid: new Uint8Array(32), ofTransaction: 0 }

  const next = async (): Promise<ReadonlyArray<KeyValue> | string> => {
    const found: Array<KeyValue> = []
    while (progress.left > 0 && found.length < AT_ONCE) {
      await fill(file, window)
      if (progress.ofTransaction === 0) {
        const fault = beginTransaction(window, progress)
        if (fault !== undefined) return fault
        continue
      }
      const coin = nextCoin(window, progress, baseHeight)
      if (typeof coin === "string") return coin
      found.push(coin)
    }
    if (found.length > 0) return found
    await fill(file, window)
    const isAll = window.at === window.bytes.length
    return isAll ? [] : `Bad snapshot - coins left over after deserializing ${coins} coins`
  }

  return { next, read: () => total - progress.left }
}
