import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose_gc")
const collect = runInNewContext("gc") as () => void

/** V8 frees buffers on another thread, which may have had no turn on a busy machine; the next collection waits for it. */
const COLLECTIONS = 3

/** Bytes that this thread cannot do without, in the heap and beside it. */
export const heldBytes = (): number => {
  for (let i = 0; i < COLLECTIONS; i++) collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
