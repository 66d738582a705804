import { getHeapStatistics } from "node:v8"

/**
 * Resident memory of this process in bytes. If the system does not report it, as without `/proc`, the memory that this
 * thread has allocated.
 */
export const residentBytes = (): number => {
  try {
    return process.memoryUsage.rss()
  } catch {
    const { external_memory: external, malloced_memory: allocated, total_heap_size: heap } = getHeapStatistics()
    return heap + external + allocated
  }
}
