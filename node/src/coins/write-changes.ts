import { MAX_SCRIPT_SIZE } from "@lockstep/kernel/constants"
import { KeySpace } from "../storage/key-space.ts"
import type { BatchWriter } from "../storage/key-value/key-value-store.ts"
import { copyScript, Mark, marksOf, readCell, writeOutPoint } from "./cell-arena.ts"
import { COIN_HEAD, writeCoinHead } from "./coin-codec.ts"
import { COIN_KEY_SIZE } from "./coin-key.ts"
import { dirtyCells, type CoinSlots } from "./coin-slots.ts"
import { sortByKey } from "./key-order.ts"
import { addTxid, type TxidBloomFilter } from "./txid-bloom-filter.ts"

/**
 * Returns views of the start of one buffer, one object for each length, so that a batch of a million values makes no
 * garbage.
 */
const beginningsOf = (buffer: Uint8Array): (size: number) => Uint8Array => {
  const known: Array<Uint8Array | undefined> = []
  return (size) => known[size] ??= buffer.subarray(0, size)
}

/**
 * Writes all dirty coins into a batch, in key order. Transactions with new coins in the store are added to the Bloom
 * filter.
 */
export const writeChanges = (slots: CoinSlots, known: TxidBloomFilter, batch: BatchWriter): void => {
  const { arena, numbers } = slots
  const key = new Uint8Array(COIN_KEY_SIZE)
  key[0] = KeySpace.coin
  const txid = key.subarray(1, 33)
  const value = new Uint8Array(COIN_HEAD + MAX_SCRIPT_SIZE)
  const beginning = beginningsOf(value)
  for (const cell of sortByKey(arena, dirtyCells(slots))) {
    writeOutPoint(arena, cell, key, 1)
    const marks = marksOf(arena, cell)
    if ((marks & Mark.exists) === 0) {
      batch.remove(key)
      continue
    }
    readCell(arena, cell, numbers)
    const head = writeCoinHead(value, numbers)
    const size = head + copyScript(arena, cell, value, head)
    if ((marks & Mark.stored) === 0) addTxid(known, txid)
    batch.put(key, beginning(size))
  }
}
