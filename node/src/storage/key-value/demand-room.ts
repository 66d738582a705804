import * as fs from "node:fs"
import { join } from "node:path"

const PIECE = new Uint8Array(65_536)

const hasBytes = (path: string): boolean => {
  const { blocks, size } = fs.statSync(path, { throwIfNoEntry: false }) ?? { blocks: 0, size: 0 }
  return size > 0 && blocks > 0
}

/**
 * Throws when there is no room for files that LMDB begins. It writes the first bytes of its lock through memory, where a
 * full disk is a SIGBUS, which no program survives. Files that are there need no room to be opened.
 */
export const demandRoom = (directory: string, ...files: ReadonlyArray<string>): void => {
  if (files.every((name) => hasBytes(join(directory, name)))) return
  const path = join(directory, "room.tmp")
  try {
    fs.writeFileSync(path, PIECE)
  } finally {
    fs.rmSync(path, { force: true })
  }
}
