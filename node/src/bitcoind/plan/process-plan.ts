import type { Height } from "@lockstep/kernel/quantities"
import { pathOf, under } from "../args/directories.ts"
import type { PlanDraft } from "./draft.ts"
import { clamp, numberGiven } from "./draft.ts"

/** Tasks of the process besides running the node. */
export interface ProcessPlan {
  readonly daemon: "no" | "at once" | "when started"
  readonly pidFile: string | undefined
  /** Commands; `undefined` if none is to run. */
  readonly blockNotify: string | undefined
  readonly alertNotify: string | undefined
  readonly startupNotify: string | undefined
  readonly shutdownNotify: ReadonlyArray<string>
  /** Height at which the node stops; 0 if it does not. */
  readonly stopAtHeight: Height
  readonly stopAfterImport: boolean
  /** True if a start that fails because of the data rebuilds them and goes on. */
  readonly rebuildsAfterFailure: boolean
  /** Number of last blocks that a start checks (0: all), and the check level. */
  readonly check: { readonly blocks: number; readonly level: number }
}

const command = ({ args }: PlanDraft, name: string): string | undefined => {
  const text = args.text(name)
  return text === undefined || text === "" || args.isNegated(name) ? undefined : text
}

/** Core's DEFAULT_CHECKBLOCKS and DEFAULT_CHECKLEVEL. */
const CHECKED_BLOCKS = 6
const CHECK_LEVEL = 3
const MOST_THOROUGH = 4

export const planProcess = (draft: PlanDraft): ProcessPlan => {
  const { args, directory } = draft
  const daemon = args.flag("daemonwait") === true ? "when started" : args.flag("daemon") === true ? "at once" : "no"
  const pidFile = args.isNegated("pid") ? undefined : under(directory, pathOf(args.value("pid")) ?? "bitcoind.pid")
  return {
    daemon,
    pidFile,
    blockNotify: command(draft, "blocknotify"),
    alertNotify: command(draft, "alertnotify"),
    startupNotify: command(draft, "startupnotify"),
    shutdownNotify: args.list("shutdownnotify").filter((text) => text !== "" && text !== "0"),
    stopAtHeight: Math.max(0, numberGiven(draft, "stopatheight", 0)),
    check: {
      blocks: Math.max(0, numberGiven(draft, "checkblocks", CHECKED_BLOCKS)),
      level: clamp(numberGiven(draft, "checklevel", CHECK_LEVEL), 0, MOST_THOROUGH)
    },
    rebuildsAfterFailure: args.list("test").includes("reindex_after_failure_noninteractive_yes"),
    stopAfterImport: args.flag("stopafterblockimport") ?? false
  }
}
