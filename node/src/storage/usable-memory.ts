import { totalmem } from "node:os"

/** Bytes that a limit lets this process take, as of a control group. None: it may take what the machine has. */
export const memoryLimit = (constrained = process.constrainedMemory(), total = totalmem()): number | undefined =>
  // Without a limit it is 0, or more than any machine has.
  constrained > 0 && constrained < total ? constrained : undefined

/** Bytes of memory that this process may take, whether the machine or a control group sets the limit. */
export const usableMemory = (): number => memoryLimit() ?? totalmem()
