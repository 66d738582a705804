import * as fs from "node:fs"
import { closeFile } from "../disk/close-file.ts"

const PIECE = new Uint8Array(65_536)

/**
 * Returns the error that keeps a file from growing, or `undefined` if it can grow. LMDB reports "input/output error"
 * for a short write, which a full disk causes first; only the next write shows the cause. This write is after every
 * page that LMDB counts, so it is overwritten later. Precondition: no transaction is under way.
 */
export const growthFault = (path: string): unknown => {
  try {
    const descriptor = fs.openSync(path, "r+")
    try {
      let { size } = fs.fstatSync(descriptor)
      let left = PIECE.length
      while (left > 0) {
        const count = fs.writeSync(descriptor, PIECE, 0, left, size)
        left -= count
        size += count
      }
      return undefined
    } finally {
      closeFile(descriptor)
    }
  } catch (error) {
    return error
  }
}
