import type { LogPlan } from "../../src/bitcoind/plan/log-plan.ts"

/** A `debug.log` on standard output, with lines of the category `net`. */
export const LOG_PLAN: LogPlan = {
  file: undefined,
  toConsole: true,
  categories: new Set(["net"]),
  level: "debug",
  levels: new Map(),
  showsIps: false,
  showsThreads: false,
  showsTime: true,
  showsMicroseconds: false,
  showsLevels: false,
  showsSources: false,
  isLimited: true,
  shrinks: false,
  printsPriority: false,
  capturesMessages: false
}
