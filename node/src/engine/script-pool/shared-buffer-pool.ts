import { type JobMemory, jobMemory, Word } from "./job-memory.ts"

/** A pool of shared buffers, reused block after block. */
export interface BufferPool {
  /** Returns a free buffer of at least `size` bytes. A new one is passed to `onNew` first. */
  readonly take: (size: number) => JobMemory
  /** Returns a buffer to the pool. No thread may read it any more. */
  readonly releaseBuffers: (memory: JobMemory) => void
  /** Drops a buffer that a thread may still read. It is never reused, and is freed when the last thread drops it. */
  readonly drop: (memory: JobMemory) => void
  readonly free: () => ReadonlyArray<JobMemory>
}

const SMALLEST = 1 << 16

/** The maximum size of all free buffers. */
const MOST_KEPT = 32 * 1024 * 1024

const WORD_BYTES = 4

const sizeFor = (size: number): number => {
  let fits = SMALLEST
  while (fits < size) fits *= 2
  // Rounding up to twice the need is acceptable for small blocks only. The size is a multiple of a word.
  return fits > MOST_KEPT ? Math.ceil(size / WORD_BYTES) * WORD_BYTES : fits
}

const bytesOf = (memories: ReadonlyArray<JobMemory>): number =>
  memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)

const drop = ({ words }: JobMemory): void => {
  Atomics.store(words, Word.TO_CLAIM, 0)
  Atomics.store(words, Word.RETIRED, 1)
}

/** Makes an empty pool. */
export const bufferPool = (onNew: (memory: JobMemory) => void): BufferPool => {
  let free: ReadonlyArray<JobMemory> = []
  return {
    take: (size) => {
      const fitting = free.filter(({ buffer }) => buffer.byteLength >= size)
      if (fitting.length > 0) {
        const smallest = fitting.reduce((best, each) => each.buffer.byteLength < best.buffer.byteLength ? each : best)
        free = free.filter((each) => each !== smallest)
        return smallest
      }
      const memory = jobMemory(new SharedArrayBuffer(sizeFor(size)))
      onNew(memory)
      return memory
    },
    releaseBuffers: (memory) => {
      if (bytesOf(free) + memory.buffer.byteLength > MOST_KEPT) drop(memory)
      else free = [...free, memory]
    },
    drop,
    free: () => free
  }
}
