/**
 * Named points of the engine's writes. A test of a death at one of them sets `LOCKSTEP_TEST_CRASH_AT=<name>:<n>`, and
 * the process is killed when it gets there for the n-th time.
 */
export const CRASH_POINTS = [
  "block-appended",
  "undo-appended",
  "coins-applied",
  "coins-reverted",
  "before-file-sync",
  "before-batch",
  "inside-batch",
  "after-batch",
  "after-commit",
  "before-files-removed",
  "after-files-removed",
  "index-batch"
] as const

export type CrashPoint = (typeof CRASH_POINTS)[number]

const parse = (text: string | undefined): { readonly name: string; left: number } | undefined => {
  const [name, count] = text?.split(":") ?? []
  return name === undefined || name === "" ? undefined : { name, left: Number(count ?? "1") }
}

const armed = parse(process.env["LOCKSTEP_TEST_CRASH_AT"])

/** Does nothing except in a test that sets the variable. SIGKILL, since nothing may be tidied up on the way. */
export const crashPoint = (name: CrashPoint): void => {
  if (armed === undefined || armed.name !== name) return
  armed.left--
  if (armed.left === 0) process.kill(process.pid, "SIGKILL")
}
