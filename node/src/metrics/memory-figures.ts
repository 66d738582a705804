import { readFileSync } from "node:fs"
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8"

/** The heap of the calling thread in bytes, and the system's figures of the process. */
export interface MemoryFigures {
  readonly used: number
  readonly free: number
  readonly total: number
  /** Bytes of the process that are never swapped out. */
  readonly locked: number
  readonly usedSpaces: number
  readonly emptySpaces: number
}

const LOCKED_KILOBYTES = /^VmLck:\s+(\d+) kB/m

/** Returns locked bytes; 0 if the system does not report them, because the node locks no memory. */
const lockedBytes = (): number => {
  try {
    return Number(LOCKED_KILOBYTES.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

export const memoryFigures = (): MemoryFigures => {
  const { total_heap_size: total, used_heap_size: used } = getHeapStatistics()
  const spaces = getHeapSpaceStatistics()
  const usedSpaces = spaces.filter(({ space_used_size: size }) => size > 0).length
  return { used, free: total - used, total, locked: lockedBytes(), usedSpaces, emptySpaces: spaces.length - usedSpaces }
}

const total = (type: string, size: number): string => `<total type="${type}" size="${size}"/>`

const system = (type: string, size: number): string => `<system type="${type}" size="${size}"/>`

/** Returns the spaces of the heap as arena elements of glibc's `malloc_info`. */
export const heapXml = (): string => {
  const { heap_size_limit: most, malloced_memory: allocated, total_heap_size: size, used_heap_size: used } =
    getHeapStatistics()
  const spaces = getHeapSpaceStatistics().flatMap((space, i) => [
    `<heap nr="${i}" name="${space.space_name}">`,
    total("used", space.space_used_size),
    total("rest", space.space_size - space.space_used_size),
    system("current", space.space_size),
    "</heap>"
  ])
  const all = [
    total("used", used),
    total("rest", size - used),
    total("malloc", allocated),
    system("current", size),
    system("max", most)
  ]
  return `${["<malloc version=\"1\">", ...spaces, ...all, "</malloc>"].join("\n")}\n`
}
