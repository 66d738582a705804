import { type Koffi, loadKoffi } from "@lockstep/crypto/native-memory.ts"

/** Exclusive, and an answer at once instead of waiting. */
const LOCK_EX_NB = 2 | 4

/** EWOULDBLOCK of Linux and of macOS. */
const WOULD_BLOCK = [11, 35]

/** Of Linux: a write lock that belongs to the open file, so that it stays when the process opens and closes it elsewhere. */
const F_OFD_SETLK = 37
const F_WRLCK = 1

/** EAGAIN and EACCES. */
const RECORD_TAKEN = [11, 13]

/** A `struct flock` of Linux with 64 bits. */
const FLOCK_BYTES = 32

export type LockAnswer = "held" | "taken" | "unsupported"

type Fcntl = (fd: number, command: number, type: "void *", lock: Uint8Array) => number

/**
 * The record lock of `fcntl(2)`, as Bitcoin Core takes it. On Linux it and `flock(2)` do not see each other; on macOS
 * they do.
 */
const lockRecord = (koffi: Koffi, descriptor: number): LockAnswer => {
  if (process.platform !== "linux") return "unsupported"
  const fcntl = koffi.load(null).func("int fcntl(int fd, int command, ...)") as Fcntl
  const lock = Buffer.alloc(FLOCK_BYTES)
  lock.writeInt16LE(F_WRLCK)
  if (fcntl(descriptor, F_OFD_SETLK, "void *", lock) === 0) return "held"
  return RECORD_TAKEN.includes(koffi.errno()) ? "taken" : "unsupported"
}

/**
 * Asks the kernel for the whole file, against other nodes of this program and against Bitcoin Core: the lock is gone
 * with the process, however that ends. `unsupported` where native calls or the file system do not offer it.
 */
export const lockFile = (descriptor: number): LockAnswer => {
  const koffi = loadKoffi()
  if (!koffi.ok) return "unsupported"
  try {
    const flock = koffi.value.load(null).func("int flock(int fd, int operation)") as (
      fd: number,
      operation: number
    ) => number
    if (flock(descriptor, LOCK_EX_NB) !== 0) {
      return WOULD_BLOCK.includes(koffi.value.errno()) ? "taken" : "unsupported"
    }
    return lockRecord(koffi.value, descriptor) === "taken" ? "taken" : "held"
  } catch {
    return "unsupported"
  }
}
