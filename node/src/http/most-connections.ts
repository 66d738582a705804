import { readFileSync } from "node:fs"

/** Maximum number of connections that fit into memory. */
const MOST = 4_096

/** Files reserved for the node itself: databases, block files, connections to peers. */
const KEPT = 256

/** RPC and REST. */
const SERVERS = 2

const FEWEST = 16

/** Returns the maximum number of connections of one server in a process that may open `files` files. */
export const mostConnections = (files: number): number =>
  Math.max(FEWEST, Math.min(MOST, Math.floor((files - KEPT) / SERVERS)))

const OPEN_FILES = /^Max open files\s+(\d+)/m

/** Returns the number of files that this process may open, or infinity if the system does not report it. */
export const mostFiles = (): number => {
  try {
    return Number(OPEN_FILES.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Number.POSITIVE_INFINITY)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
