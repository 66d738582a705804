/** Named points between the engine's writes. A test kills the process when it reaches one of them for the n-th time. */
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

/** Points that only a node that loads a snapshot reaches. */
export const SNAPSHOT_CRASH_POINTS = [
  "snapshot-coins",
  "before-snapshot-activated",
  "snapshot-activated",
  "background-connected",
  "snapshot-confirmed",
  "snapshot-abandoned"
] as const

/** Points of the mempool file, which only a node with transactions reaches. */
export const MEMPOOL_CRASH_POINTS = ["mempool-transaction-loaded", "mempool-loaded", "before-mempool-save"] as const

export type CrashPoint =
  | (typeof CRASH_POINTS)[number]
  | (typeof SNAPSHOT_CRASH_POINTS)[number]
  | (typeof MEMPOOL_CRASH_POINTS)[number]

/** The point of the kill: the `count`-th call with this name. */
export interface CrashAt {
  readonly name: string
  readonly count: number
}

/** Parses `<name>:<n>`, or a name alone. Returns `undefined` for an empty text. */
export const crashAtOf = (text: string): CrashAt | undefined => {
  const [name = "", count = "1"] = text.split(":")
  return name === "" ? undefined : { name, count: Number(count) }
}

const NOWHERE = (): void => undefined

/** Makes the function that the engine calls at each point. It kills with SIGKILL, so that no cleanup can run. */
export const crashPoints = (at: CrashAt | undefined): (name: CrashPoint) => void => {
  if (at === undefined) return NOWHERE
  let left = at.count
  return (name) => {
    if (name !== at.name) return
    left--
    if (left === 0) process.kill(process.pid, "SIGKILL")
  }
}
