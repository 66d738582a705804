import { StorageError } from "../storage-error.ts"

type Reason = StorageError["reason"]

/** The meaning of a system error for the node, and the advice to the operator. */
const MEANINGS: Readonly<Record<string, readonly [reason: Reason, meaning: string, remedy: string]>> = {
  ENOSPC: ["full", "no space is left on the device", "Free some space, then start again."],
  EDQUOT: ["full", "the disk quota is used up", "Free some space or raise the quota, then start again."],
  EFBIG: [
    "full",
    "the file is larger than the file system or a limit allows",
    "Raise the limit or use another file system."
  ],
  ENOENT: ["missing", "it does not exist", "Check the path, or restore what was removed."],
  ENOTDIR: [
    "io",
    "a part of the path is a file, not a directory",
    "Move the file away, or choose another data directory."
  ],
  EISDIR: ["io", "it is a directory, not a file", "Move the directory away."],
  // The error of `rm`, which checks first.
  ERR_FS_EISDIR: ["io", "it is a directory, not a file", "Move the directory away."],
  ENXIO: ["io", "it is a socket or a device, not a file", "Name a file, or move it away."],
  IS_FIFO: ["io", "it is a FIFO, not a file", "Name a file, or move it away."],
  IS_DEVICE: ["io", "it is a device, not a file", "Name a file, or move it away."],
  EEXIST: ["io", "a file is there already, or a link that leads nowhere", "Move it away, or choose another path."],
  EACCES: ["io", "permission is denied", "Give the user that runs the node the right to read and write it."],
  EPERM: ["io", "permission is denied", "Give the user that runs the node the right to read and write it."],
  EROFS: ["io", "the file system is read-only", "Mount it for writing, or choose another data directory."],
  EIO: ["io", "the device reports an input/output error", "Check the disk and its cables before starting again."],
  EMFILE: ["io", "too many files are open", "Raise the limit of open files (ulimit -n)."],
  ENFILE: ["io", "too many files are open on this machine", "Raise the limit of open files."],
  ENAMETOOLONG: ["io", "the path is too long", "Choose a shorter data directory."],
  ELOOP: ["io", "symbolic links lead in a circle", "Mend the links."]
}

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

const textOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Turns a failed system call into a typed error that names the path and says what to do. */
export const diskError = (
  part: StorageError["part"],
  operation: string,
  path: string,
  cause: unknown
): StorageError => {
  if (cause instanceof StorageError) return cause
  const code = codeOf(cause)
  const meaning = code === undefined ? undefined : MEANINGS[code]
  if (code === undefined || meaning === undefined) {
    const message = `Cannot ${operation} ${path}: ${textOf(cause)}. Check the disk before starting again.`
    return new StorageError({ part, operation, reason: "io", path, message })
  }
  const [reason, text, remedy] = meaning
  return new StorageError({
    part,
    operation,
    reason,
    path,
    message: `Cannot ${operation} ${path}: ${text} (${code}). ${remedy}`
  })
}
