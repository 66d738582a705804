import type { Milliseconds, Seconds } from "../quantities.ts"
import type { ReadClock } from "../clock.ts"
import type { MaintenanceProgress } from "../lifecycle/maintenance-task.ts"

const WIDTH = 30
const BAR_INTERVAL_MS = 100
const LINE_INTERVAL_MS = 10_000

/** The part of a stream that a progress display needs. */
export interface Screen {
  readonly isTTY?: boolean
  readonly write: (text: string) => unknown
}

export interface ProgressDisplay {
  readonly report: (progress: MaintenanceProgress) => void
  /** Ends the line, because no more progress follows. */
  readonly end: () => void
}

/** Formats a count with thousands separators. */
export const thousands = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",")

/** Formats seconds for people: `1:02:03`. */
export const duration = (seconds: Seconds): string => {
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)]
  const minutes = `${h > 0 ? String(m).padStart(2, "0") : m}:${String(s).padStart(2, "0")}`
  return h > 0 ? `${h}:${minutes}` : minutes
}

const remaining = ({ done, total }: MaintenanceProgress, elapsedMs: Milliseconds): string =>
  done === 0 || total === 0 || elapsedMs < 1_000
    ? ""
    : `, ${duration(((total - done) * elapsedMs) / done / 1_000)} left`

const share = ({ done, total }: MaintenanceProgress): number => total === 0 ? 0 : Math.min(1, done / total)

const text = (progress: MaintenanceProgress, elapsedMs: Milliseconds): string => {
  const count = progress.total === 0
    ? thousands(progress.done)
    : `${thousands(progress.done)} of ${thousands(progress.total)} (${Math.floor(share(progress) * 100)} %)`
  return `${progress.task}: ${count}${remaining(progress, elapsedMs)}`
}

const bar = (progress: MaintenanceProgress): string => {
  const filled = Math.round(share(progress) * WIDTH)
  return progress.total === 0 ? "" : `[${"#".repeat(filled)}${".".repeat(WIDTH - filled)}] `
}

/**
 * Makes a bar that stays in place on a terminal. Elsewhere it writes a line from time to time, at the start of a task
 * and at its end.
 */
export const progressOn = (screen: Screen, now: ReadClock): ProgressDisplay => {
  const isBar = screen.isTTY === true
  let task: string | undefined
  let started = 0
  let shown = Number.NEGATIVE_INFINITY
  let shownDone = false
  let pending = false

  const report = (progress: MaintenanceProgress): void => {
    const time = now()
    const isNew = progress.task !== task
    if (isNew) {
      if (isBar && pending) screen.write("\n")
      task = progress.task
      started = time
    }
    const isDone = progress.total > 0 && progress.done >= progress.total
    const isEnd = isDone && !shownDone
    if (!isNew && !isEnd && time - shown < (isBar ? BAR_INTERVAL_MS : LINE_INTERVAL_MS)) return
    shown = time
    shownDone = isDone
    const line = text(progress, time - started)
    screen.write(isBar ? `\r\u001B[K${bar(progress)}${line}` : `${line}\n`)
    pending = isBar
  }

  const end = (): void => {
    if (pending) screen.write("\n")
    pending = false
  }

  return { report, end }
}
