import { randomBytes } from "node:crypto"
import { type HeaderRecords, recordChunk, recordOffset } from "./header-records.ts"

/** A hash table of headers by hash, with open addressing over indices, so that no hash becomes a string. */
export interface HeaderSlots {
  readonly records: HeaderRecords
  /** A secret seed, so that an attacker cannot choose headers whose hashes collide in one slot. */
  readonly seed: number
  /** Index + 1; 0 marks a free slot. */
  slots: Int32Array
  count: number
}

export const headerSlots = (records: HeaderRecords): HeaderSlots => ({
  records,
  seed: randomBytes(4).readInt32LE(),
  slots: new Int32Array(64),
  count: 0
})

const word = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)

const mix = (value: number): number => {
  const mixed = Math.imul(value, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

const startOf = ({ seed, slots }: HeaderSlots, bytes: Uint8Array, at: number): number =>
  mix(mix(seed ^ word(bytes, at)) ^ word(bytes, at + 8)) & (slots.length - 1)

const isHashOf = (records: HeaderRecords, index: number, hash: Uint8Array): boolean => {
  const { bytes } = recordChunk(records, index)
  const at = recordOffset(index) + 80
  for (let i = 0; i < 32; i++) if (bytes[at + i] !== hash[i]) return false
  return true
}

/** Returns the index of the header with this hash, or −1. */
export const indexOfHash = (table: HeaderSlots, hash: Uint8Array): number => {
  const { records, slots } = table
  const mask = slots.length - 1
  for (let slot = startOf(table, hash, 0);; slot = (slot + 1) & mask) {
    const held = slots[slot]!
    if (held === 0) return -1
    if (isHashOf(records, held - 1, hash)) return held - 1
  }
}

const place = (table: HeaderSlots, index: number): void => {
  const { bytes } = recordChunk(table.records, index)
  const mask = table.slots.length - 1
  let slot = startOf(table, bytes, recordOffset(index) + 80)
  while (table.slots[slot] !== 0) slot = (slot + 1) & mask
  table.slots[slot] = index + 1
}

/** Grows the table for `count` headers, with at least as many free slots. */
export const growSlots = (table: HeaderSlots, count: number): void => {
  let size = table.slots.length
  while (count * 2 > size) size *= 2
  if (size === table.slots.length) return
  table.slots = new Int32Array(size)
  for (let i = 0; i < table.count; i++) place(table, i)
}

/**
 * Adds the header with this index. Preconditions: its hash is in the records and not in the table; `index` is the next
 * one.
 */
export const addHash = (table: HeaderSlots, index: number): void => {
  growSlots(table, index + 1)
  place(table, index)
  table.count = index + 1
}
