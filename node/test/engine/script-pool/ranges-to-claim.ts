import { vi } from "vitest"
import { clearFailure } from "../../../src/engine/script-pool/job-failure.ts"
import { type JobMemory, jobMemory, Word } from "../../../src/engine/script-pool/job-memory.ts"

/** The memory of a block of so many ranges. */
export const rangesToClaim = (ranges: number): JobMemory => {
  const memory = jobMemory(new SharedArrayBuffer(64))
  memory.words[Word.RANGES] = ranges
  memory.words[Word.TO_CLAIM] = ranges
  clearFailure(memory)
  return memory
}

/** Another thread does this between the next look of this one at a word and its attempt to change it. */
export const meanwhile = (happen: () => void): void => {
  vi.spyOn(Atomics, "compareExchange").mockImplementationOnce(
    ((words: Int32Array, ...change: [number, number, number]) => {
      vi.restoreAllMocks()
      happen()
      return Atomics.compareExchange(words, ...change)
    }) as never
  )
}
