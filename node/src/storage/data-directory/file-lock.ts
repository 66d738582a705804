import { type Koffi, loadKoffi } from "@lockstep/crypto/native-memory.ts"

/** An exclusive lock, without waiting. */
const LOCK_EX_NB = 2 | 4

/** EWOULDBLOCK of Linux and of macOS. */
const WOULD_BLOCK = [11, 35]

/**
 * Linux: a write lock that belongs to the open file, so that it stays when the process opens and closes the file
 * elsewhere.
 */
const F_OFD_SETLK = 37
const F_WRLCK = 1

/** EAGAIN and EACCES. */
const RECORD_TAKEN = [11, 13]

/** Size of a 64-bit Linux `struct flock`. */
const FLOCK_BYTES = 32

export type LockAnswer = "held" | "taken" | "unsupported"

type Fcntl = (fd: number, command: number, type: "void *", lock: Uint8Array) => number

/**
 * Takes the record lock of `fcntl(2)`, as Bitcoin Core does. On Linux it and `flock(2)` are independent; on macOS they
 * are not.
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
 * Locks the whole file in the kernel, against other nodes of this program and against Bitcoin Core. The lock ends with
 * the process, however that ends. Returns "unsupported" if native calls or the file system do not offer it.
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
