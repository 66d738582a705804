import { type CoreOption, rowsOf } from "../core-option.ts"

const { accepts, does } = rowsOf("Debugging/Testing options")

const debug = { shown: "debug" } as const

/** Options about the log and for tests. */
export const DEBUGGING: ReadonlyArray<CoreOption> = [
  does("checkblocks", "=<n>", "How many blocks a start checks; 0: all", { ...debug, example: "1" }),
  does("checklevel", "=<n>", "How thoroughly (0 to 4)", { ...debug, example: "1" }),
  accepts("checkblockindex", "=<n>", "Check the index of blocks now and then", "the index needs no checks", debug),
  accepts("checkmempool", "=<n>", "Check the mempool now and then", "the mempool needs no checks", debug),
  accepts(
    "checkpoints",
    "",
    "Checkpoints",
    "Option '-checkpoints' is set but checkpoints were removed. This option has no effect.",
    { shown: "never", warns: true, inert: [], example: "1" }
  ),
  does("debug", "=<category>", "Write lines of this category; without one, of all", { list: true, example: "net" }),
  does("debugexclude", "=<category>", "Leave out lines of this category", {
    list: true,
    example: ["-debug", "-debugexclude=net"]
  }),
  does("debuglogfile", "=<file>", "The log file, relative to the network's data directory", { example: "other.log" }),
  does("fastprune", "", "Small block files, which are pruned early on regtest", debug),
  does("help-debug", "", "Also show options for tests, and end"),
  does("logips", "", "Show addresses of peers in the log"),
  does("loglevel", "=<level>|<category>:<level>", "How detailed lines are: info, debug, trace", {
    ...debug,
    list: true,
    noElision: true,
    noNegation: true,
    example: "trace"
  }),
  does("loglevelalways", "", "Name category and level in every line", debug),
  does("logratelimit", "", "Hold back what writes more than 1 MiB an hour", { ...debug, example: "0" }),
  does("logsourcelocations", "", "Name the event or the step behind each line, in place of a source file"),
  does("logthreadnames", "", "Name the thread in every line"),
  does("logtimemicros", "", "Times with microseconds", debug),
  does("logtimestamps", "", "Times in the log", { example: "0" }),
  does("maxsigcachesize", "=<n>", "MiB for transactions whose scripts are known to hold", { ...debug, example: "8" }),
  does("maxtipage", "=<n>", "Seconds that a tip may be old when the first sync is over", { ...debug, example: "60" }),
  does("mocktime", "=<n>", "The time to start with (regtest)", { ...debug, example: "1700000000" }),
  does("printtoconsole", "", "Write the log to standard output as well", { example: "0" }),
  does("shrinkdebugfile", "", "Cut a long log file at start", { example: ["-shrinkdebugfile=0"] }),
  does("stopafterblockimport", "", "Stop once the blocks of files are taken in", debug),
  does("stopatheight", "=<n>", "Stop at this height", { ...debug, example: "10" }),
  does(
    "test",
    "=<option>",
    "Behaviour for tests (regtest): addrman, bip94 or reindex_after_failure_noninteractive_yes",
    {
      ...debug,
      list: true,
      example: "addrman"
    }
  ),
  does("testactivationheight", "=name@height", "Activate a deployment at this height (regtest)", {
    ...debug,
    list: true,
    example: "segwit@10"
  })
]
