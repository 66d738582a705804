import type { Milliseconds } from "../../quantities.ts"
import type { LogPlan } from "../plan/log-plan.ts"

export type CoreLevel = "trace" | "debug" | "info" | "warning" | "error"

/** A log line in Bitcoin Core's form. A line without a category is unconditional. */
export interface CoreLine {
  readonly level: CoreLevel
  readonly category?: string | undefined
  readonly text: string
  /** Source of the line: an event of the node, or the function of Bitcoin Core that it corresponds to. */
  readonly source?: string
}

/** Default source of a line: Bitcoin Core's function for starting and stopping. */
export const DEFAULT_SOURCE = "AppInitMain"

/** Reports whether a line is written regardless of the active categories. */
export const isUnconditional = ({ category, level }: Pick<CoreLine, "category" | "level">): boolean =>
  category === undefined || (level !== "debug" && level !== "trace")

/** Returns a line that is always written. */
export const info = (text: string): CoreLine => ({ level: "info", text })

/** Returns a line that is written only if its category is active. */
export const inDetail = (category: string, text: string): CoreLine => ({ level: "debug", category, text })

const isoSeconds = (milliseconds: Milliseconds): string => new Date(milliseconds).toISOString().slice(0, 19)

/** Times shown in the log. */
export interface LineTime {
  /** Microseconds since 1970. */
  readonly now: bigint
  /** Mocked time in Unix seconds; 0 if the clock is not mocked. */
  readonly mocked: number
}

const timeText = ({ mocked, now }: LineTime, { showsMicroseconds, showsTime }: LogPlan): string => {
  if (!showsTime) return ""
  const fraction = showsMicroseconds ? `.${String(now % 1_000_000n).padStart(6, "0")}` : ""
  const mock = mocked === 0 ? "" : `(mocktime: ${isoSeconds(mocked * 1000)}Z) `
  return `${isoSeconds(Number(now / 1000n))}${fraction}Z ${mock}`
}

/**
 * Returns the source of a line. Bitcoin Core shows file, line and function; this program always shows `bitcoind` and
 * the event.
 */
const sourceText = ({ source = DEFAULT_SOURCE }: CoreLine, { showsSources }: LogPlan): string =>
  showsSources ? `[bitcoind] [${source}] ` : ""

/** Returns the bracket with category and level. Unconditional lines of level info have none. */
const tagText = ({ category, level }: CoreLine, { showsLevels }: LogPlan): string => {
  if (showsLevels) return `[${category ?? "all"}:${level}] `
  if (category === undefined) return level === "info" ? "" : `[${level}] `
  return level === "debug" ? `[${category}] ` : `[${category}:${level}] `
}

// oxlint-disable-next-line eslint/no-control-regex -- control characters are what must not get through
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/g

/** Escapes control characters and inner line ends, so that no peer can forge a log line. */
const escaped = (text: string): string =>
  text.replaceAll(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`)
    .replaceAll(/\n(?=.)/gs, "\\x0a")

/** Returns the text of a line without its line end. */
export const lineText = (line: CoreLine, time: LineTime, plan: LogPlan, thread = "main"): string =>
  `${timeText(time, plan)}${plan.showsThreads ? `[${thread}] ` : ""}${sourceText(line, plan)}${tagText(line, plan)}${
    escaped(line.text)
  }`
