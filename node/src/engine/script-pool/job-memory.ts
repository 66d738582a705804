/**
 * The jobs of one block, in memory that all threads share. It describes itself: a thread that claims a range through
 * `TO_CLAIM` gets a range of the present block. The memory is written again only after all claimed ranges are released.
 * So it serves block after block while workers still read it.
 */
export interface JobMemory {
  readonly buffer: SharedArrayBuffer
  readonly words: Int32Array<SharedArrayBuffer>
  readonly numbers: BigInt64Array<SharedArrayBuffer>
  readonly bytes: Uint8Array<SharedArrayBuffer>
  readonly view: DataView<SharedArrayBuffer>
}

/** Indexes of the first words. */
export const Word = {
  /** Number of unclaimed ranges. Workers claim them in block order. */
  TO_CLAIM: 0,
  /** Number of claimed and finished ranges. */
  DONE: 1,
  RANGES: 2,
  /** Order number that grows from block to block: workers claim from the oldest one first. */
  ORDER: 3,
  /** Non-zero if the memory will not be used again. */
  RETIRED: 4,
  /** Start of the table of ranges. */
  TABLE: 8
} as const

/** Index of the earliest failure among the 64-bit numbers; as a word it comes after {@link Word.RETIRED}. */
export const FAILURE = 3

/**
 * Fields of a range in the table: its first job, the offsets of its transactions and its coins, its flags. One more
 * entry ends the last range.
 */
export const JobField = { JOB: 0, TRANSACTIONS: 1, COINS: 2, FLAGS: 3, SIZE: 4 } as const

/** Bytes of the words and of a table of this many ranges. */
export const headLength = (ranges: number): number => 4 * (Word.TABLE + (ranges + 1) * JobField.SIZE)

/** Index of a word in the table. */
export const tableAt = (range: number, what: number): number => Word.TABLE + range * JobField.SIZE + what

/** Views of `buffer`, as every thread sees it. */
export const jobMemory = (buffer: SharedArrayBuffer): JobMemory => ({
  buffer,
  words: new Int32Array(buffer),
  numbers: new BigInt64Array(buffer, 0, Word.TABLE / 2),
  bytes: new Uint8Array(buffer),
  view: new DataView(buffer)
})

/** Claims the next range. Returns its number, or −1 if none is left. */
export const claimRange = ({ words }: JobMemory): number => {
  for (let left = Atomics.load(words, Word.TO_CLAIM); left > 0;) {
    const seen = Atomics.compareExchange(words, Word.TO_CLAIM, left, left - 1)
    // No other thread can finish the claimed range, so the count of ranges is that of the same block.
    if (seen === left) return Atomics.load(words, Word.RANGES) - left
    left = seen
  }
  return -1
}

/** Marks claimed ranges as finished. Returns true if they were the last ones of the block. */
export const finishRanges = ({ words }: JobMemory, count: number): boolean => {
  const ranges = Atomics.load(words, Word.RANGES)
  return Atomics.add(words, Word.DONE, count) + count === ranges
}

/** Reports whether all ranges are finished. */
export const isFinished = ({ words }: JobMemory): boolean =>
  Atomics.load(words, Word.DONE) === Atomics.load(words, Word.RANGES)

/** Cancels the unclaimed ranges. Returns true if no range is claimed either. */
export const cancelRanges = (memory: JobMemory): boolean =>
  finishRanges(memory, Atomics.exchange(memory.words, Word.TO_CLAIM, 0))
