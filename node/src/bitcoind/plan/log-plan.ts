import { CORE_CATEGORIES, DEPRECATED_CATEGORIES, deprecatedCategoryText } from "../../log/core-categories.ts"
import { pathOf, under } from "../args/directories.ts"
import type { PlanDraft } from "./draft.ts"

/** Levels of detail, in Bitcoin Core's order. */
export const DETAILS = ["trace", "debug", "info"] as const

export type Detail = typeof DETAILS[number]

/** Plan for `debug.log`. */
export interface LogPlan {
  readonly file: string | undefined
  readonly toConsole: boolean
  readonly categories: ReadonlySet<string>
  readonly level: Detail
  readonly levels: ReadonlyMap<string, Detail>
  readonly showsIps: boolean
  readonly showsThreads: boolean
  readonly showsTime: boolean
  readonly showsMicroseconds: boolean
  readonly showsLevels: boolean
  /** True if each line names its source. */
  readonly showsSources: boolean
  /** True if the rate limit applies to sources. */
  readonly isLimited: boolean
  readonly shrinks: boolean
  /** True if each transaction of a template is logged. */
  readonly printsPriority: boolean
  /** True if all messages of peers are captured to files. */
  readonly capturesMessages: boolean
}

const NAMES = Object.keys(CORE_CATEGORIES)

const EVERYTHING = ["", "1", "all"]

const isDetail = (text: string): text is Detail => DETAILS.some((detail) => detail === text)

/** Returns the values after the last one that clears all before it. */
const afterNone = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  given.slice(given.findLastIndex((text) => text === "0" || text === "none") + 1)

/** Returns the categories that `option` names. */
const namedBy = (
  { notices, problems }: PlanDraft,
  option: string,
  given: ReadonlyArray<string>
): ReadonlyArray<string> =>
  given.flatMap((text) => {
    if (EVERYTHING.includes(text)) return NAMES
    if (NAMES.includes(text)) return [text]
    if (DEPRECATED_CATEGORIES.has(text)) notices.push(deprecatedCategoryText(text))
    else problems.push(`Unsupported logging category -${option}=${text}.`)
    return []
  })

/** Position before which a colon does not separate a category from its level. */
const FIRST_COLON = 3

const levelsOf = ({ args, problems }: PlanDraft) => {
  let level: Detail = "debug"
  const levels = new Map<string, Detail>()
  for (const text of args.list("loglevel")) {
    const colon = text.indexOf(":", FIRST_COLON)
    const [category, wanted] = colon < 0 ? [undefined, text] : [text.slice(0, colon), text.slice(colon + 1)]
    if (category === undefined && isDetail(wanted)) level = wanted
    else if (category === undefined) {
      problems.push(
        `Unsupported global logging level -loglevel=${text}. Valid values: info, debug, trace.`
      )
    } else if (isDetail(wanted) && NAMES.includes(category)) levels.set(category, wanted)
    // In Bitcoin Core, `all` is a category of its own, whose level affects no line.
    else if (isDetail(wanted) && category === "all") continue
    else {
      problems.push(
        `Unsupported category-specific logging level -loglevel=${text}. Expected -loglevel=<category>:<loglevel>. Valid categories: ${
          NAMES.join(", ")
        }. Valid loglevels: info, debug, trace.`
      )
    }
  }
  return { level, levels }
}

export const planLog = (draft: PlanDraft): LogPlan => {
  const { args, directory } = draft
  const left = new Set(namedBy(draft, "debugexclude", args.list("debugexclude")))
  const categories = new Set(namedBy(draft, "debug", afterNone(args.list("debug"))).filter((name) => !left.has(name)))
  const isDaemon = args.flag("daemon") === true || args.flag("daemonwait") === true
  return {
    ...levelsOf(draft),
    file: args.isNegated("debuglogfile")
      ? undefined
      : under(directory, pathOf(args.value("debuglogfile")) ?? "debug.log"),
    toConsole: args.flag("printtoconsole") ?? !isDaemon,
    categories,
    showsIps: args.flag("logips") ?? false,
    showsThreads: args.flag("logthreadnames") ?? false,
    showsTime: args.flag("logtimestamps") ?? true,
    showsMicroseconds: args.flag("logtimemicros") ?? false,
    showsLevels: args.flag("loglevelalways") ?? false,
    showsSources: args.flag("logsourcelocations") ?? false,
    isLimited: args.flag("logratelimit") ?? true,
    shrinks: args.flag("shrinkdebugfile") ?? categories.size === 0,
    printsPriority: args.flag("printpriority") ?? false,
    capturesMessages: args.flag("capturemessages") ?? false
  }
}
