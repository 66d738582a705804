import { readFileSync } from "node:fs"

/** What a server has room for in memory. */
const MOST = 4_096

/** Files that the node itself has open at times: the store, block files, connections to other nodes. */
const KEPT = 256

/** RPC and REST. */
const SERVERS = 2

const FEWEST = 16

/** Connections of one server in a process that may have `files` files open, each of them one. */
export const mostConnections = (files: number): number =>
  Math.max(FEWEST, Math.min(MOST, Math.floor((files - KEPT) / SERVERS)))

const OPEN_FILES = /^Max open files\s+(\d+)/m

/** Files that this process may have open, as far as the machine shows it. */
export const mostFiles = (): number => {
  try {
    return Number(OPEN_FILES.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
