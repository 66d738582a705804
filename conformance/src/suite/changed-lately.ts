import { spawnSync } from "node:child_process"

const SECONDS_A_DAY = 86_400

/**
 * Whether a folder of a clone differs from its newest commit, or was changed by a commit in the last `days` before that one. Also
 * where this cannot be known: without Git, in a copy that is no clone, and in a clone of the newest commit alone.
 */
export const changedLately = (root: string, folder: string, days: number): boolean => {
  const git = (...args: ReadonlyArray<string>): string | undefined => {
    const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
    return status === 0 ? stdout.trim() : undefined
  }
  if (git("status", "--porcelain", "--", folder) !== "") return true
  const [newest, changed] = [git("log", "-1", "--format=%ct"), git("log", "-1", "--format=%ct", "--", folder)].map(
    Number
  )
  // A number that is none is no less than any other.
  return !(newest! - changed! > days * SECONDS_A_DAY)
}
