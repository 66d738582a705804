import { KeySpace } from "../../key-space.ts"
import { sealHolds } from "../seal.ts"

/** Small and needed first; the coins, the most by far, come last and as far as the time goes. */
const ORDER = [
  KeySpace.meta,
  KeySpace.indexState,
  KeySpace.blockFile,
  KeySpace.header,
  KeySpace.coinStatistics,
  KeySpace.coin,
  KeySpace.transactionIndex
]

/** Entries between two looks at the clock. */
const STEP = 512

export interface RawEntry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** A walk over the raw entries of one space. */
export type RawRange = (from: Uint8Array, to: Uint8Array) => Iterable<RawEntry> | AsyncIterable<RawEntry>

const hex = (key: Uint8Array): string => Buffer.from(key).toString("hex")

/**
 * Reads what there is for at most `milliseconds` and answers what is wrong with the first bad entry: keys that do not
 * ascend, or a value that does not fit its checksum.
 */
export const walkStore = async (range: RawRange, milliseconds: number): Promise<string | undefined> => {
  const deadline = performance.now() + milliseconds
  for (const space of ORDER) {
    let last: Uint8Array | undefined
    let count = 0
    for await (const { key, value } of range(Uint8Array.of(space), Uint8Array.of(space + 1))) {
      if (last !== undefined && Buffer.compare(last, key) >= 0) return `the key ${hex(key)} stands behind ${hex(last)}`
      if (!sealHolds(key, value, value.length)) return `the value under ${hex(key)} does not fit its checksum`
      last = key
      if (++count % STEP === 0 && performance.now() > deadline) return undefined
    }
  }
  return undefined
}
