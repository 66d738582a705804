import * as fs from "node:fs"
import { closeFile } from "../disk/close-file.ts"

const PIECE = new Uint8Array(65_536)

/**
 * Why a file cannot grow, or nothing when it can. LMDB says "input/output error" of a write that was cut short, which
 * is what a full disk does first; only the next write shows the cause. What is written here lies behind every page that
 * LMDB counts, so it is written over later. Precondition: no transaction is under way.
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
