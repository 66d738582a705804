/** Named points of the engine's writes. A test kills the process when it gets to one of them for the n-th time. */
export const CRASH_POINTS = [
  "block-appended",
  "undo-appended",
  "coins-applied",
  "coins-reverted",
  "before-early-batch",
  "after-early-batch",
  "before-file-sync",
  "before-batch",
  "inside-batch",
  "after-batch",
  "after-commit",
  "before-files-removed",
  "after-files-removed",
  "index-batch"
] as const

/** Those of a snapshot that is loaded: only then a node gets there. */
export const SNAPSHOT_CRASH_POINTS = [
  "snapshot-coins",
  "before-snapshot-activated",
  "snapshot-activated",
  "background-connected",
  "snapshot-confirmed",
  "snapshot-abandoned"
] as const

/** Those of the mempool's file: only a node with transactions gets there. */
export const MEMPOOL_CRASH_POINTS = ["mempool-transaction-loaded", "mempool-loaded", "before-mempool-save"] as const

export type CrashPoint =
  | (typeof CRASH_POINTS)[number]
  | (typeof SNAPSHOT_CRASH_POINTS)[number]
  | (typeof MEMPOOL_CRASH_POINTS)[number]

/** Where the process is killed: at the `count`-th call of this point. */
export interface CrashAt {
  readonly name: string
  readonly count: number
}

/** What `<name>:<n>`, or a name alone, says; nothing: nowhere. */
export const crashAtOf = (text: string): CrashAt | undefined => {
  const [name = "", count = "1"] = text.split(":")
  return name === "" ? undefined : { name, count: Number(count) }
}

const NOWHERE = (): void => undefined

/** What the engine calls at each point. SIGKILL, since nothing may be tidied up on the way. */
export const crashPoints = (at: CrashAt | undefined): (name: CrashPoint) => void => {
  if (at === undefined) return NOWHERE
  let left = at.count
  return (name) => {
    if (name !== at.name) return
    left--
    if (left === 0) process.kill(process.pid, "SIGKILL")
  }
}
