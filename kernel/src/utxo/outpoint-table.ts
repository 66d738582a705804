import type { OutPoint } from "../model/transaction.ts"

/**
 * Finds entries by outpoint: open addressing over numbers, so that no key is turned into a string. The order of entries
 * is the order in which they were added.
 */
export interface OutPointTable<A> {
  readonly seed: number
  slots: Int32Array
  readonly outpoints: Array<OutPoint>
  readonly values: Array<A>
}

/**
 * An empty table for about `expected` entries. `seed` is a number that an attacker could not foresee when choosing the
 * outpoints, or every look-up could walk the whole table. A block's own hash is one.
 */
export const outPointTable = <A>(expected: number, seed: number): OutPointTable<A> => {
  let size = 16
  while (size < expected * 2) size *= 2
  return { seed, slots: new Int32Array(size), outpoints: [], values: [] }
}

const word = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)

const mix = (hash: number, value: number): number => {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

const hashOf = (seed: number, { txid, vout }: OutPoint): number =>
  mix(mix(mix(mix(seed, word(txid, 0)), word(txid, 8)), word(txid, 20)), vout)

const sameOutPoint = (a: OutPoint, b: OutPoint): boolean => {
  if (a.vout !== b.vout) return false
  for (let i = 0; i < 32; i++) if (a.txid[i] !== b.txid[i]) return false
  return true
}

/** The slot that holds `outpoint`, or the free one where it belongs. */
const slotOf = <A>(table: OutPointTable<A>, outpoint: OutPoint): number => {
  const { outpoints, seed, slots } = table
  const mask = slots.length - 1
  let slot = hashOf(seed, outpoint) & mask
  while (slots[slot] !== 0 && !sameOutPoint(outpoints[slots[slot]! - 1]!, outpoint)) slot = (slot + 1) & mask
  return slot
}

const grow = <A>(table: OutPointTable<A>): void => {
  table.slots = new Int32Array(table.slots.length * 2)
  for (let i = 0; i < table.outpoints.length; i++) table.slots[slotOf(table, table.outpoints[i]!)] = i + 1
}

/** The number of the entry at `outpoint`, or −1. */
export const entryAt = <A>(table: OutPointTable<A>, outpoint: OutPoint): number =>
  table.slots[slotOf(table, outpoint)]! - 1

/** Adds an entry. Precondition: the table has no entry at `outpoint`. */
export const addEntry = <A>(table: OutPointTable<A>, outpoint: OutPoint, value: A): void => {
  if (table.outpoints.length * 2 >= table.slots.length) grow(table)
  const slot = slotOf(table, outpoint)
  table.outpoints.push(outpoint)
  table.values.push(value)
  table.slots[slot] = table.outpoints.length
}
