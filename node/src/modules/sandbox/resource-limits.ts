/** What one module may use. */
export interface ResourceLimits {
  /** Memory in use; the node ends a module that has more. */
  readonly memoryBytes: number
  /** Share of one processor, averaged; the node halts a module that uses more. */
  readonly processorPercent: number
  readonly openFiles: number
  /** In its data directory; the node ends a module that has more. */
  readonly diskBytes: number
}

/**
 * Memory that a module may map beside what it may use. A JavaScript runtime reserves 512 MiB for code and touches little
 * of it.
 */
const RESERVED_BYTES = 640 * 1024 * 1024

/** Threads of a module. A JavaScript runtime has about ten. */
export const MOST_THREADS = 64

/** The program of util-linux that sets limits and becomes another program. */
const PRLIMIT = "prlimit"

/** A program under limits that does nothing. */
export const TRIAL: ReadonlyArray<string> = [PRLIMIT, "--core=0", "--", "true"]

/**
 * The command that starts a program under the kernel's limits. They hold before the program runs, and it cannot raise
 * them. The kernel does not count the threads of root.
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
