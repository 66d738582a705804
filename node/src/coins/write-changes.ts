import { MAX_SCRIPT_SIZE } from "@lockstep/kernel/constants.ts"
import { KeySpace } from "../storage/key-space.ts"
import type { BatchWriter } from "../storage/key-value/key-value-store.ts"
import { copyScript, Mark, marksOf, readCell, writeOutPoint } from "./cell-arena.ts"
import { COIN_HEAD, writeCoinHead } from "./coin-codec.ts"
import { COIN_KEY_SIZE } from "./coin-key.ts"
import { changedCells, type CoinPool } from "./coin-pool.ts"
import { sortByKey } from "./key-order.ts"
import { addKnown, type KnownTransactions } from "./known-transactions.ts"

/** Beginnings of one buffer, one object for each length: a batch of a million values makes no garbage. */
const beginningsOf = (buffer: Uint8Array): (size: number) => Uint8Array => {
  const known: Array<Uint8Array | undefined> = []
  return (size) => known[size] ??= buffer.subarray(0, size)
}

/** Puts all that changed into a batch, in key order. Transactions that get coins in the store are known from now on. */
export const writeChanges = (pool: CoinPool, known: KnownTransactions, batch: BatchWriter): void => {
  const { arena, numbers } = pool
  const key = new Uint8Array(COIN_KEY_SIZE)
  key[0] = KeySpace.coin
  const txid = key.subarray(1, 33)
  const value = new Uint8Array(COIN_HEAD + MAX_SCRIPT_SIZE)
  const beginning = beginningsOf(value)
  for (const cell of sortByKey(arena, changedCells(pool))) {
    writeOutPoint(arena, cell, key, 1)
    const marks = marksOf(arena, cell)
    if ((marks & Mark.exists) === 0) {
      batch.remove(key)
      continue
    }
    readCell(arena, cell, numbers)
    const head = writeCoinHead(value, numbers)
    const size = head + copyScript(arena, cell, value, head)
    if ((marks & Mark.stored) === 0) addKnown(known, txid)
    batch.put(key, beginning(size))
  }
}
