import * as Effect from "effect/Effect"
import { accessSync, constants, statSync } from "node:fs"
import { fsPath } from "../../bytes/byte-path.ts"
import { wallClock } from "../../clock.ts"
import type { Chain } from "../../engine-client/chain.ts"
import type { LifecycleHooks } from "../../lifecycle/lifecycle-hooks.ts"
import { secondsOf, type UnixMilliseconds } from "../../quantities.ts"
import { Shutdown } from "../../runtime/shutdown.ts"
import type { DebugLog } from "../log/debug-log.ts"
import { coreLogLayer } from "../log/core-log-layer.ts"
import { linesOfNotification } from "../log/lines-of-notifications.ts"
import { chainSteps, openingLines } from "./chain-steps.ts"
import type { Plan } from "../plan/plan.ts"
import { notifyStarted } from "../process/daemon.ts"
import { runShellCommand, safeText } from "../process/run-command.ts"
import type { StopSignals } from "../process/stop-signals.ts"
import { newTips } from "./new-tips.ts"
import type { SnapshotDirectory } from "./snapshot-directory.ts"

const quietly = (log: DebugLog, command: string): Effect.Effect<void> =>
  Effect.map(Effect.promise(() => runShellCommand(command)), (problem) => {
    if (problem !== undefined) log.write({ level: "warning", text: problem })
  })

/** Reports whether a file can be opened. Like Bitcoin Core, logs a file that cannot and skips it. */
const isReadable = (path: string, log: DebugLog): boolean => {
  try {
    accessSync(fsPath(path), constants.R_OK)
    // Other kinds of files cannot be read by offset.
    if (statSync(fsPath(path)).isFile()) return true
  } catch {
    // Logged below.
  }
  log.write({ level: "warning", text: `Could not open blocks file ${path}` })
  return false
}

/** Runs the commands and limits that follow the tip. */
const followTip = (
  { maxTipAge, process: { alertNotify, blockNotify, stopAtHeight } }: Plan,
  log: DebugLog,
  chain: Chain["Service"],
  shutdown: Shutdown["Service"],
  now: () => UnixMilliseconds
): void => {
  let warned = new Set<string>()
  let mocked = 0
  const tipsOf = newTips((time) => time >= (mocked === 0 ? secondsOf(now()) : mocked) - maxTipAge)
  chain.subscribe((notification) => {
    for (const tip of tipsOf(notification)) {
      if (blockNotify !== undefined) Effect.runFork(quietly(log, blockNotify.replaceAll("%s", tip)))
    }
    for (const line of linesOfNotification(notification)) log.write({ source: notification._tag, ...line })
    if (notification._tag !== "State") return
    const { height, mockTime, warnings } = notification.state
    mocked = mockTime
    log.setMockTime(mockTime)
    const fresh = warnings.filter((warning) => !warned.has(warning))
    warned = new Set(warnings)
    for (const warning of alertNotify === undefined ? [] : fresh) {
      Effect.runFork(quietly(log, alertNotify!.replaceAll("%s", `'${safeText(warning)}'`)))
    }
    if (stopAtHeight > 0 && height >= stopAtHeight) Effect.runFork(shutdown.request("signal"))
  })
}

/** Objects that a run creates before the node starts. */
export interface HooksParts {
  readonly signals: StopSignals
  readonly snapshots: SnapshotDirectory
}

/** Returns the tasks of the program besides the node, by its plan. */
export const bitcoindHooks = (
  plan: Plan,
  log: DebugLog,
  lines: ReadonlyArray<string>,
  { signals, snapshots }: HooksParts
): LifecycleHooks => {
  const { process: { shutdownNotify, startupNotify, stopAfterImport }, storage } = plan
  const say = (text: string): void => log.write({ level: "info", text })
  const warn = (text: string): void => {
    log.write({ level: "warning", text })
    process.stderr.write(`Warning: ${text}\n`)
  }
  return {
    log: coreLogLayer(log, plan.log.showsIps),
    ignoresSignals: true,
    crashNotice: { file: plan.log.file },
    first: Effect.gen(function*() {
      for (const line of lines) log.write({ level: "info", text: line })
      if (!plan.log.isLimited) say("Log rate limiting disabled")
      for (const notice of plan.notices) log.write({ level: "warning", text: notice })
      if (signals.came()) yield* (yield* Shutdown).request("signal")
    }),
    chainMade: (chain, shutdown) =>
      Effect.map(wallClock, (now) => {
        for (const line of openingLines(plan)) say(line)
        followTip(plan, log, chain, shutdown, now)
        chain.subscribe((notification) => {
          if (notification._tag === "State") snapshots.changed(notification.state)
        })
      }),
    chainReady: (chain, shutdown) =>
      Effect.gen(function*() {
        snapshots.opened(chain.state()!)
        yield* chainSteps(plan, chain, { say, warn, write: log.write })
        const paths = storage.load.filter((path) => isReadable(path, log))
        for (const path of paths) say(`Importing blocks file ${path}...`)
        if (paths.length > 0) yield* chain.call("importFiles", { paths })
        if (!stopAfterImport) return
        log.write({ level: "info", text: "Stopping after block import" })
        yield* shutdown.request("signal")
      }),
    started: Effect.suspend(() => {
      notifyStarted()
      return startupNotify === undefined ? Effect.void : Effect.asVoid(Effect.forkDetach(quietly(log, startupNotify)))
    }),
    stopping: Effect.suspend(() =>
      Effect.andThen(
        Effect.forEach(shutdownNotify, (command) => quietly(log, command), { concurrency: "unbounded", discard: true }),
        Effect.sync(() => log.write({ level: "info", text: "Shutdown in progress..." }))
      )
    )
  }
}
