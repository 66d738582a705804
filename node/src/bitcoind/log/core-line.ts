import type { Milliseconds } from "../../quantities.ts"
import type { LogPlan } from "../plan/log-plan.ts"

export type CoreLevel = "trace" | "debug" | "info" | "warning" | "error"

/** A line as Bitcoin Core would write it. A line of no category is unconditional. */
export interface CoreLine {
  readonly level: CoreLevel
  readonly category?: string | undefined
  readonly text: string
  /** What writes the line: an event of the node, or the step of Bitcoin Core that it stands for. */
  readonly source?: string
}

/** What a line names as its source where nothing else is known: Bitcoin Core's function of a start and a stop. */
export const DEFAULT_SOURCE = "AppInitMain"

/** A line that is always written, whatever is switched on. */
export const isUnconditional = ({ category, level }: Pick<CoreLine, "category" | "level">): boolean =>
  category === undefined || (level !== "debug" && level !== "trace")

/** A line that is always written. */
export const info = (text: string): CoreLine => ({ level: "info", text })

/** A line that is written where its category is on. */
export const inDetail = (category: string, text: string): CoreLine => ({ level: "debug", category, text })

const isoSeconds = (milliseconds: Milliseconds): string => new Date(milliseconds).toISOString().slice(0, 19)

/** Times as the log shows them. */
export interface LineTime {
  /** Microseconds since 1970. */
  readonly now: bigint
  /** Unix seconds that stand in for the clock; 0: none do. */
  readonly mocked: number
}

const timeText = ({ mocked, now }: LineTime, { showsMicroseconds, showsTime }: LogPlan): string => {
  if (!showsTime) return ""
  const fraction = showsMicroseconds ? `.${String(now % 1_000_000n).padStart(6, "0")}` : ""
  const mock = mocked === 0 ? "" : `(mocktime: ${isoSeconds(mocked * 1000)}Z) `
  return `${isoSeconds(Number(now / 1000n))}${fraction}Z ${mock}`
}

/** Bitcoin Core names a file with a line and a function; the lines of this program have one place, and are known by their event. */
const sourceText = ({ source = DEFAULT_SOURCE }: CoreLine, { showsSources }: LogPlan): string =>
  showsSources ? `[bitcoind] [${source}] ` : ""

/** The bracket with category and level; unconditional lines of level info have none. */
const tagText = ({ category, level }: CoreLine, { showsLevels }: LogPlan): string => {
  if (showsLevels) return `[${category ?? "all"}:${level}] `
  if (category === undefined) return level === "info" ? "" : `[${level}] `
  return level === "debug" ? `[${category}] ` : `[${category}:${level}] `
}

// oxlint-disable-next-line eslint/no-control-regex -- control characters are what must not get through
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/g

/** No outsider makes up a line of its own: all that a text cannot show is written as a number. */
const escaped = (text: string): string =>
  text.replaceAll(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`)
    .replaceAll(/\n(?=.)/gs, "\\x0a")

/** The text of a line, without its end. */
export const lineText = (line: CoreLine, time: LineTime, plan: LogPlan, thread = "main"): string =>
  `${timeText(time, plan)}${plan.showsThreads ? `[${thread}] ` : ""}${sourceText(line, plan)}${tagText(line, plan)}${
    escaped(line.text)
  }`
