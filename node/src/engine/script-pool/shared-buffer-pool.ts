import { type JobMemory, jobMemory, Word } from "./job-memory.ts"

/** A pool of shared buffers that are used for one block after another. */
export interface BufferPool {
  /** A free buffer of at least `size` bytes. A new one is passed to `onNew` first. */
  readonly take: (size: number) => JobMemory
  /** Returns a buffer that no thread reads any more. */
  readonly releaseBuffers: (memory: JobMemory) => void
  /**
   * Gives up a buffer that a thread may still read: it is never used again. It is freed when the last thread drops it.
   */
  readonly drop: (memory: JobMemory) => void
  readonly free: () => ReadonlyArray<JobMemory>
}

const SMALLEST = 1 << 16

/** Bytes of free buffers that are kept. */
const MOST_KEPT = 32 * 1024 * 1024

const WORD_BYTES = 4

const sizeFor = (size: number): number => {
  let fits = SMALLEST
  while (fits < size) fits *= 2
  // Twice as much as needed is fine for a small block only. Words are read in it, so it has a whole number of them.
  return fits > MOST_KEPT ? Math.ceil(size / WORD_BYTES) * WORD_BYTES : fits
}

const bytesOf = (memories: ReadonlyArray<JobMemory>): number =>
  memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)

const drop = ({ words }: JobMemory): void => {
  Atomics.store(words, Word.TO_CLAIM, 0)
  Atomics.store(words, Word.RETIRED, 1)
}

/** An empty pool. */
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
