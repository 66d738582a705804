import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { shownBytes } from "../../bytes/byte-path.ts"
import { thisMachine } from "../../cli/machine.ts"
import { runNode } from "../../lifecycle/run-node.ts"
import { isThere } from "../../storage/disk/regular-file.ts"
import { usableMemory } from "../../storage/usable-memory.ts"
import type { NodeFailure } from "../../lifecycle/node-failure.ts"
import { makeIndexDirectory } from "../args/directories.ts"
import { fileSystemErrorText } from "../args/file-system-error.ts"
import { type CommandLineArguments, readArguments } from "../args/read-arguments.ts"
import { type DebugLog, debugLogFault, openDebugLog } from "../log/debug-log.ts"
import { OPTIONS, OPTIONS_BY_NAME } from "../options/option-table.ts"
import { shownProblem } from "../plan/http-failed.ts"
import { isLateProblem } from "../plan/late-problem.ts"
import type { LogPlan } from "../plan/log-plan.ts"
import { type PlanMachine, type Plan, planOf, type PlanRefusal } from "../plan/plan.ts"
import { beginDaemon, isDaemon, notifyFailed, startDaemon } from "../process/daemon.ts"
import { endProcess } from "../process/end-process.ts"
import { optionsHelpText } from "../process/help-text.ts"
import { pidFile } from "../process/pid-file.ts"
import { openFileLimit } from "../process/open-file-limit.ts"
import { holdDirectory, lockFault } from "../process/probe-lock.ts"
import { type StopSignals, takeStopSignals } from "../process/stop-signals.ts"
import { versionLine } from "../process/version-text.ts"
import { bitcoindHooks } from "./bitcoind-hooks.ts"
import { configured } from "./configured.ts"
import { coreFailureTexts, isQuestion, NO_BLOCK_INDEX } from "./failure-text.ts"
import { snapshotDirectory } from "./snapshot-directory.ts"
import { programLine, startLines } from "./start-lines.ts"

const machine: PlanMachine = {
  ...thisMachine(),
  platform: process.platform,
  memoryBytes: usableMemory(),
  descriptors: openFileLimit()
}

const NANOSECONDS_PER_MICROSECOND = 1_000n

const clock = Effect.runSync(Clock.Clock)

const SUCCESS = 0
const FAILURE = 1

/** Messages on standard error about a failed start. */
const failures: Array<string> = []

const fail = (...messages: ReadonlyArray<string>): number => {
  for (const message of messages) {
    const text = isQuestion(message) ? `${message}\n` : `Error: ${message}\n`
    failures.push(text)
    process.stderr.write(shownBytes(text))
  }
  return FAILURE
}

const openLog = (plan: LogPlan): DebugLog | string =>
  openDebugLog({
    plan,
    print: (text) => void process.stdout.write(shownBytes(text)),
    now: () => clock.currentTimeNanosUnsafe() / NANOSECONDS_PER_MICROSECOND
  })

/** Ends a start that the options forbid. Logs the reason only if Bitcoin Core has opened its log by then. */
const refuse = ({ log: plan, notices, problems }: PlanRefusal, { directory, lines }: CommandLineArguments): number => {
  const messages = shownProblem(problems[0]!)
  if (!isLateProblem(problems[0]!)) return fail(...messages)
  const log = lockFault(directory) ?? openLog(plan)
  if (typeof log === "string") return fail(log)
  for (const text of [programLine(), ...lines]) log.write({ level: "info", text })
  for (const text of notices) log.write({ level: "warning", text })
  for (const text of messages) log.write({ level: "error", text })
  for (const text of ["Shutdown in progress...", "Shutdown done"]) log.write({ level: "info", text })
  log.close()
  return fail(...messages)
}

/** Returns the text to show instead of starting, or `undefined` if the node should start. */
const shownInstead = ({ args }: CommandLineArguments): string | undefined => {
  if (args.flag("version") === true) return `${versionLine("daemon")}\n`
  const debug = args.flag("help-debug") === true
  if (!debug && !["help", "h", "?"].some((name) => args.flag(name) === true)) return undefined
  return `${versionLine("daemon")}\n${optionsHelpText(OPTIONS, debug)}`
}

const hasEntries = (path: string): boolean => isThere(path) && readdirSync(path).length > 0

/** Returns the refusal of a data directory that Bitcoin Core made, which this program leaves unchanged. */
const foreignData = ({ storage }: Plan, directory: string): string | undefined =>
  existsSync(join(directory, "chainstate", "CURRENT")) || existsSync(join(storage.blocks, "index", "CURRENT"))
    ? `The data directory ${directory} holds a chain that Bitcoin Core made, which this program leaves as it is. Choose another -datadir.`
    : undefined

/** Reports whether a chain exists whose block index was removed, as an operator does to rebuild it. */
const isIndexMissing = ({ storage }: Plan, directory: string): boolean =>
  !storage.rebuild && hasEntries(join(directory, "chainstate")) && !isThere(join(directory, "blocks", "index"))

/** Runs the node once. Returns what ended it in Bitcoin Core's words, or `undefined` if it was stopped. */
const attempt = async (
  plan: Plan,
  given: CommandLineArguments,
  log: DebugLog,
  signals: StopSignals
): Promise<ReadonlyArray<string> | undefined> => {
  const snapshots = snapshotDirectory(plan, given.directory, log.write)
  try {
    if (isIndexMissing(plan, given.directory)) return [NO_BLOCK_INDEX]
    makeIndexDirectory(given.directory)
    const fault = snapshots.fault()
    if (fault !== undefined) return [fault]
  } catch (error) {
    return [fileSystemErrorText(error)]
  }
  const parts = { signals, snapshots }
  const exit = await Effect.runPromiseExit(
    runNode(configured(plan, given), bitcoindHooks(plan, log, startLines(given, plan, machine), parts))
  )
  if (Exit.isSuccess(exit)) return undefined
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  const message = failure === undefined ? Cause.pretty(exit.cause) : (failure.error as NodeFailure).message
  const texts = coreFailureTexts(message)
  // Bitcoin Core's message may refer to the log for details, which only the node's own message has.
  if (!texts.includes(message)) log.write({ level: "error", text: message })
  return texts
}

/** Runs the node. If the options allow a rebuild that may repair what ended it, runs it once more with a rebuild. */
const attempts = async (
  plan: Plan,
  given: CommandLineArguments,
  log: DebugLog,
  signals: StopSignals
): Promise<ReadonlyArray<string> | undefined> => {
  const texts = await attempt(plan, given, log, signals)
  if (texts?.some(isQuestion) !== true || !plan.process.rebuildsAfterFailure || plan.storage.rebuild) return texts
  for (const text of texts) log.write({ level: "info", text })
  return attempt({ ...plan, storage: { ...plan.storage, rebuild: true, rebuildsCoins: false } }, given, log, signals)
}

const runPlanned = async (
  plan: Plan,
  given: CommandLineArguments,
  log: DebugLog,
  signals: StopSignals
): Promise<number> => {
  const { process: { pidFile: path } } = plan
  const pid = path === undefined ? undefined : pidFile(path)
  if (pid?.fault !== undefined) return fail(pid.fault)
  const warnings = [...given.warnings, ...plan.warnings].map((text) => ({ level: "warning" as const, text }))
  for (const line of [...given.aboutIgnoredConf, ...warnings]) log.write(line)
  const texts = await attempts(plan, given, log, signals)
  log.write({ level: "info", text: "scheduler thread exit" })
  const unremoved = pid?.remove()
  if (unremoved !== undefined) log.write({ level: "warning", text: unremoved })
  if (texts === undefined) return SUCCESS
  for (const text of texts) log.write({ level: "error", text })
  return fail(...texts)
}

/** Runs the node with the arguments of a command line. Returns the exit code. */
export const runBitcoind = async (words: ReadonlyArray<string>): Promise<number> => {
  beginDaemon()
  const exitCode = await startOf(words)
  if (failures.length > 0) await notifyFailed(failures)
  return exitCode
}

const startOf = async (words: ReadonlyArray<string>): Promise<number> => {
  const read = readArguments(words, OPTIONS_BY_NAME, machine)
  if (Result.isFailure(read)) return fail(read.failure)
  const given = read.success
  const shown = shownInstead(given)
  if (shown !== undefined) {
    process.stdout.write(shown)
    return SUCCESS
  }
  for (const line of given.stderr) process.stderr.write(shownBytes(`${line}\n`))
  const planned = planOf(given, machine)
  if (Result.isFailure(planned)) return refuse(planned.failure, given)
  const plan = planned.success
  const fault = foreignData(plan, given.directory) ?? lockFault(given.directory)
  if (fault !== undefined) return fail(fault)
  for (const warning of plan.warnings) process.stderr.write(shownBytes(`Warning: ${warning}\n`))
  const { daemon } = plan.process
  if (daemon !== "no" && !isDaemon()) {
    // With `-daemon` no process waits for the start: this is the last chance to report it.
    const unopened = debugLogFault(plan.log)
    return unopened === undefined ? startDaemon(words, daemon === "when started") : fail(unopened)
  }
  const log = openLog(plan.log)
  if (typeof log === "string") return fail(log)
  // Locked in this process, since it is the one that keeps running.
  const shared = holdDirectory(plan.storage.blocks)
  if (shared !== undefined) {
    log.write({ level: "error", text: shared })
    return fail(shared)
  }
  const signals = takeStopSignals()
  const exitCode = await runPlanned(plan, given, log, signals)
  log.write({ level: "info", text: "Shutdown done" })
  log.close()
  if (failures.length > 0) await notifyFailed(failures)
  await endProcess(exitCode)
  return exitCode
}
