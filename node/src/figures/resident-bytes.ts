import { getHeapStatistics } from "node:v8"

/**
 * Memory of this process that is not swapped out, in bytes. Where the system does not say, as without `/proc`, it is what
 * this thread has taken.
 */
export const residentBytes = (): number => {
  try {
    return process.memoryUsage.rss()
  } catch {
    const { external_memory: external, malloced_memory: allocated, total_heap_size: heap } = getHeapStatistics()
    return heap + external + allocated
  }
}
