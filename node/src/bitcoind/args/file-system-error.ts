import { systemErrorWords } from "../process/system-error.ts"

/** Names of operations in Bitcoin Core's file library, by system call. */
const OPERATIONS: Readonly<Record<string, string>> = {
  mkdir: "cannot create directories",
  stat: "status",
  lstat: "status",
  rename: "cannot rename",
  realpath: "cannot make canonical path",
  scandir: "directory iterator cannot open directory"
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "Give the user that runs the node the right to write there, or choose another",
  EPERM: "Give the user that runs the node the right to write there, or choose another",
  EROFS: "Mount it for writing, or choose another",
  ENOTDIR: "A part of the path is a file, not a directory: choose another",
  ENOSPC: "Free some space, or choose another"
}

/** Reports whether an exception is a failed system call. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string"

/**
 * Returns a failed file operation in Bitcoin Core's words, with the remedy on a second line. Throws any other exception
 * again. `option` names the option that chooses the path.
 */
export const fileSystemErrorText = (error: unknown, option = "-datadir"): string => {
  if (!isSystemError(error)) throw error
  const { code = "", path = "", syscall = "" } = error
  const words = `filesystem error: ${OPERATIONS[syscall] ?? syscall}: ${systemErrorWords(error)} [${path}]`
  return `${words}\n${REMEDIES[code] ?? "Check the path, or choose another"} ${option}.`
}
