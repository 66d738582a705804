import type { Milliseconds, Moment } from "../../../quantities.ts"
import { KeySpace } from "../../key-space.ts"
import { sealHolds } from "../seal.ts"

/**
 * Order of the walk: small and urgent spaces first; the coins, by far the largest, and rebuildable data last, as time
 * allows. Every space must be listed: a key of any other is a fault.
 */
const SPACES: Readonly<Record<keyof typeof KeySpace, number>> = {
  meta: KeySpace.meta,
  indexState: KeySpace.indexState,
  blockFile: KeySpace.blockFile,
  header: KeySpace.header,
  coinStatistics: KeySpace.coinStatistics,
  filterHeader: KeySpace.filterHeader,
  coin: KeySpace.coin,
  secondCoin: KeySpace.secondCoin,
  addressUnspent: KeySpace.addressUnspent,
  valueUnspent: KeySpace.valueUnspent,
  transactionIndex: KeySpace.transactionIndex,
  spender: KeySpace.spender,
  addressHistory: KeySpace.addressHistory,
  filter: KeySpace.filter
}

const ORDER = Object.values(SPACES)

/** Entries between two time checks. */
const STEP = 512

export interface RawEntry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** A store below checksums. */
export interface RawStore {
  /** Reads from the first key (included) to the second (excluded), or to the end. */
  readonly range: (from: Uint8Array, to: Uint8Array | undefined) => Iterable<RawEntry> | AsyncIterable<RawEntry>
  readonly has: (key: Uint8Array) => boolean
  /** Returns the number of entries that the engine reports, if it knows. */
  readonly count: () => number | undefined
}

const hex = (key: Uint8Array): string => Buffer.from(key).toString("hex")

/** Returns a key that belongs to no space: before the first, between two, or after the last. */
const strayKey = async ({ range }: RawStore): Promise<Uint8Array | undefined> => {
  const spaces = [...ORDER].sort((a, b) => a - b)
  const starts = [0, ...spaces.map((space) => space + 1)]
  for (const [place, start] of starts.entries()) {
    const end = spaces[place]
    if (start === end) continue
    for await (const { key } of range(Uint8Array.of(start), end === undefined ? undefined : Uint8Array.of(end))) {
      return key
    }
  }
  return undefined
}

/** The kind of keys in a store: those of the node have a space, others may be any bytes. */
export type StoreKeys = "node" | "any"

interface Walk {
  readonly deadline: Moment
  count: number
  isOver: boolean
}

const walkRange = async (
  { has, range }: RawStore,
  from: Uint8Array,
  to: Uint8Array | undefined,
  walk: Walk
): Promise<string | undefined> => {
  let last: Uint8Array | undefined
  for await (const { key, value } of range(from, to)) {
    if (last !== undefined && Buffer.compare(last, key) >= 0) return `the key ${hex(key)} stands behind ${hex(last)}`
    if (!sealHolds(key, value, value.length)) return `the value under ${hex(key)} does not fit its checksum`
    if (!has(key)) return `the key ${hex(key)} is not found where it belongs`
    last = key
    walk.count++
    walk.isOver = walk.count % STEP === 0 && performance.now() > walk.deadline
    if (walk.isOver) return undefined
  }
  return undefined
}

/**
 * Reads entries for at most `milliseconds` and describes the first fault, if any. A fault is a key out of order or of
 * no space, a value with a wrong checksum, or a key that a look-up does not find. If all was read, the count is
 * compared with that of the engine.
 */
export const walkStore = async (
  store: RawStore,
  milliseconds: Milliseconds,
  keys: StoreKeys = "node"
): Promise<string | undefined> => {
  const walk: Walk = { deadline: performance.now() + milliseconds, count: 0, isOver: false }
  const stray = keys === "node" ? await strayKey(store) : undefined
  if (stray !== undefined) return `the key ${hex(stray)} is of no kind that the node writes`
  const ranges = keys === "node"
    ? ORDER.map((space) => [Uint8Array.of(space), Uint8Array.of(space + 1)] as const)
    : [[Uint8Array.of(0), undefined] as const]
  for (const [from, to] of ranges) {
    const fault = await walkRange(store, from, to, walk)
    if (fault !== undefined || walk.isOver) return fault
  }
  const counted = store.count()
  return counted === undefined || counted === walk.count
    ? undefined
    : `it has ${walk.count} entries and counts ${counted}`
}
