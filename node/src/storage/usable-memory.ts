import { totalmem } from "node:os"

/**
 * Memory limit of this process, such as that of a control group. Returns `undefined` without a limit below the
 * machine's memory.
 */
export const memoryLimit = (constrained = process.constrainedMemory(), total = totalmem()): number | undefined =>
  // Without a limit it is 0, or more than any machine has.
  constrained > 0 && constrained < total ? constrained : undefined

/** Returns the bytes of memory that this process may use, limited by the machine or a control group. */
export const usableMemory = (): number => memoryLimit() ?? totalmem()
