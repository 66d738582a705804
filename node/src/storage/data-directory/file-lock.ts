import { loadKoffi } from "@lockstep/crypto/native-memory.ts"

/** Exclusive, and an answer at once instead of waiting. */
const LOCK_EX_NB = 2 | 4

/** EWOULDBLOCK of Linux and of macOS. */
const WOULD_BLOCK = [11, 35]

export type LockAnswer = "held" | "taken" | "unsupported"

/**
 * Asks the kernel for the whole file, as `flock(2)`: the lock is gone with the process, however that ends.
 * `unsupported` where native calls or the file system do not offer it.
 */
export const lockFile = (descriptor: number): LockAnswer => {
  const koffi = loadKoffi()
  if (!koffi.ok) return "unsupported"
  try {
    const flock = koffi.value.load(null).func("int flock(int fd, int operation)") as (
      fd: number,
      operation: number
    ) => number
    if (flock(descriptor, LOCK_EX_NB) === 0) return "held"
    return WOULD_BLOCK.includes(koffi.value.errno()) ? "taken" : "unsupported"
  } catch {
    return "unsupported"
  }
}
