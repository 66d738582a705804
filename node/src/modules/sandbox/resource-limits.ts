/** Resource limits of one module. */
export interface ResourceLimits {
  /** Memory in use, in bytes; the node ends a module that exceeds it. */
  readonly memoryBytes: number
  /** Average share of one processor in percent; the node suspends a module that exceeds it. */
  readonly processorPercent: number
  readonly openFiles: number
  /** Bytes on disk; the node ends a module that exceeds them. */
  readonly diskBytes: number
}

/**
 * Bytes that a module may map in addition to its memory limit. A JavaScript runtime reserves 512 MiB for code and uses
 * little of it.
 */
const RESERVED_BYTES = 640 * 1024 * 1024

/** Maximum number of threads of a module. A JavaScript runtime has about ten. */
export const MOST_THREADS = 64

/** The program of util-linux that sets limits and then executes another program. */
const PRLIMIT = "prlimit"

/** A program that runs under limits and does nothing. */
export const TRIAL: ReadonlyArray<string> = [PRLIMIT, "--core=0", "--", "true"]

/**
 * Returns the command that starts a program under limits of the kernel. They apply before the program runs, and it
 * cannot raise them. The kernel does not count the threads of root.
 */
export const limitedCommand = (
  { diskBytes, memoryBytes, openFiles }: ResourceLimits,
  command: ReadonlyArray<string>
): ReadonlyArray<string> => [
  PRLIMIT,
  `--data=${memoryBytes + RESERVED_BYTES}`,
  `--nofile=${openFiles}`,
  `--fsize=${diskBytes}`,
  `--nproc=${MOST_THREADS}`,
  "--core=0",
  "--memlock=0",
  "--",
  ...command
]
