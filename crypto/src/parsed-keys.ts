import type { NativeMemory } from "./native-memory.ts"

/** Parses the key of `length` bytes that lies at address `from` to address `to`; false when it is no point. */
export type ParseKey = (to: number, from: number, length: number) => boolean

/** Bytes of a parsed key, whatever is in them. */
export const PARSED_KEY_SIZE = 64

/**
 * Finding y of a point takes a tenth of the time of verifying a signature by it, and many keys sign again and again. So
 * each thread keeps this many of either form; a hundred bytes of memory for each. Keys whose last bytes are the same
 * share so many places, or every third key of as many as there are places would be without one.
 */
const SETS = 4096
const PLACES = 4
const SLOTS = SETS * PLACES

/** Native bytes that the parsed keys of one form take. */
export const PARSED_KEYS_SIZE = SLOTS * PARSED_KEY_SIZE

/**
 * Keys of one form, each among the places that its last bytes say; the one that came first makes room. Answers the
 * address of the parsed key, or 0 when the key is no point. The table lies in `memory` from `table` on; `scratch` is
 * where a key to be parsed goes.
 */
export const parsedKeys = (
  { address, bytes }: NativeMemory,
  { length, scratch, table }: { readonly length: number; readonly scratch: number; readonly table: number },
  parse: ParseKey
): (key: Uint8Array) => number => {
  const keys = new Uint8Array(SLOTS * length)
  const isFilled = new Uint8Array(SLOTS)
  const oldest = new Uint8Array(SETS)

  const isAt = (slot: number, key: Uint8Array): boolean => {
    if (isFilled[slot] === 0) return false
    const start = slot * length
    for (let i = 0; i < length; i++) if (keys[start + i] !== key[i]) return false
    return true
  }

  const add = (key: Uint8Array, slot: number): number => {
    const parsed = address + table + slot * PARSED_KEY_SIZE
    bytes.set(key, scratch)
    // Parsing overwrites what was there, also when it fails.
    isFilled[slot] = 0
    if (!parse(parsed, address + scratch, length)) return 0
    keys.set(key, slot * length)
    isFilled[slot] = 1
    return parsed
  }

  return (key) => {
    const set = (key[length - 1]! | key[length - 2]! << 8) & (SETS - 1)
    const first = set * PLACES
    for (let slot = first; slot < first + PLACES; slot++) {
      if (isAt(slot, key)) return address + table + slot * PARSED_KEY_SIZE
    }
    const place = oldest[set]!
    oldest[set] = (place + 1) % PLACES
    return add(key, first + place)
  }
}
