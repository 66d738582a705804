/**
 * The jobs of one block in memory that all threads share. It describes itself: a thread that claims a range
 * through `TO_CLAIM` has the block that is in it then. The memory is not written again before all claimed ranges are
 * released, so that it serves block after block while workers still read it.
 */
export interface JobMemory {
  readonly buffer: SharedArrayBuffer
  readonly words: Int32Array<SharedArrayBuffer>
  readonly numbers: BigInt64Array<SharedArrayBuffer>
  readonly bytes: Uint8Array<SharedArrayBuffer>
  readonly view: DataView<SharedArrayBuffer>
}

/** What the first words hold. */
export const Word = {
  /** Ranges that are not taken yet. Workers take them in the order of the block. */
  TO_CLAIM: 0,
  /** Ranges that were taken and finished. */
  DONE: 1,
  RANGES: 2,
  /** Grows from block to block: workers take the oldest one first. */
  ORDER: 3,
  /** Not zero: will not be used again. */
  RETIRED: 4,
  /** Where the table of ranges starts. */
  TABLE: 8
} as const

/** The place of the earliest failure among the 64-bit numbers; as a word it is behind {@link Word.RETIRED}. */
export const FAILURE = 3

/**
 * The table's entry of a range: its first job, where its transactions and its coins start, its flags. Another entry
 * ends the last range.
 */
export const JobField = { JOB: 0, TRANSACTIONS: 1, COINS: 2, FLAGS: 3, SIZE: 4 } as const

/** Bytes of the words and of the table of that many ranges. */
export const headLength = (ranges: number): number => 4 * (Word.TABLE + (ranges + 1) * JobField.SIZE)

/** A word of the table. */
export const tableAt = (range: number, what: number): number => Word.TABLE + range * JobField.SIZE + what

/** What lies in `buffer`, as every thread sees it. */
export const jobMemory = (buffer: SharedArrayBuffer): JobMemory => ({
  buffer,
  words: new Int32Array(buffer),
  numbers: new BigInt64Array(buffer, 0, Word.TABLE / 2),
  bytes: new Uint8Array(buffer),
  view: new DataView(buffer)
})

/** Takes the next range: its number, or −1 when none is left. */
export const claimRange = ({ words }: JobMemory): number => {
  for (let left = Atomics.load(words, Word.TO_CLAIM); left > 0;) {
    const seen = Atomics.compareExchange(words, Word.TO_CLAIM, left, left - 1)
    // No other thread can finish what this one has taken, so the count of ranges is that of the same block.
    if (seen === left) return Atomics.load(words, Word.RANGES) - left
    left = seen
  }
  return -1
}

/** Marks taken ranges as finished; true when they were the last ones of the block. */
export const finishRanges = ({ words }: JobMemory, count: number): boolean => {
  const ranges = Atomics.load(words, Word.RANGES)
  return Atomics.add(words, Word.DONE, count) + count === ranges
}

/** Whether all ranges are finished. */
export const isFinished = ({ words }: JobMemory): boolean =>
  Atomics.load(words, Word.DONE) === Atomics.load(words, Word.RANGES)

/** Stops the taking of ranges; true when none is held either. */
export const cancelRanges = (memory: JobMemory): boolean =>
  finishRanges(memory, Atomics.exchange(memory.words, Word.TO_CLAIM, 0))
