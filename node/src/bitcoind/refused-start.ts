import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { processWords } from "../bytes/process-words.ts"
import { thisMachine } from "../cli/machine.ts"
import { usableMemory } from "../storage/usable-memory.ts"
import { readArguments } from "./args/read-arguments.ts"
import { openDebugLog } from "./log/debug-log.ts"
import { OPTIONS_BY_NAME } from "./options/option-table.ts"
import { planOf } from "./plan/plan.ts"
import { openFileLimit } from "./process/open-file-limit.ts"

const NANOSECONDS_PER_MICROSECOND = 1_000n

const clock = Effect.runSync(Clock.Clock)

/**
 * Writes to the log of bitcoind why its launcher started no node: V8 does not run as usual on this machine. The modules
 * loaded here must do without compiled code and without WebAssembly.
 *
 * @public
 */
export const run = (why: string): void => {
  process.umask(0o077)
  const machine = {
    ...thisMachine(),
    platform: process.platform,
    memoryBytes: usableMemory(),
    descriptors: openFileLimit()
  }
  const given = Result.getOrThrow(readArguments(processWords(), OPTIONS_BY_NAME, machine))
  const planned = planOf(given, machine)
  const plan = Result.isSuccess(planned) ? planned.success.log : planned.failure.log
  const log = openDebugLog({
    plan,
    print: () => {},
    now: () => clock.currentTimeNanosUnsafe() / NANOSECONDS_PER_MICROSECOND
  })
  if (typeof log === "string") throw new Error(log)
  log.write({ level: "error", text: why })
  log.write({ level: "info", text: "Shutdown done" })
  log.close()
}
