import * as Effect from "effect/Effect"
import { monotonicClock } from "../../clock.ts"
import type { NodeConfig } from "../../config/config.ts"
import { ensuring } from "../../finalizers/finalizers.ts"
import { JsonMembers } from "../../json/json-value.ts"
import { RPC_CODES } from "../../methods/definition/rpc-codes.ts"
import type { CommandFailure } from "../command-failure.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { type LiveLine, liveLine } from "../live-line.ts"
import { thousands } from "../progress.ts"
import { say } from "../terminal.ts"
import { askNode, callNode } from "./node-client.ts"
import { isCaughtUp, isWithoutPeers, type ShownSyncFigures, shownSyncFigures, syncLine } from "./sync-figures.ts"

const INTERVAL = "1 second"

const figuresOf = (config: NodeConfig) => Effect.map(askNode(config, "getsyncstatus"), shownSyncFigures)

/** Reports whether the network is private, so that its chain may have any age. */
const isAlone = ({ network }: NodeConfig): boolean => network === "regtest"

/** Codes of a node that is still starting; the command waits for it. */
const STARTING: ReadonlySet<string> = new Set([RPC_CODES.InWarmup, RPC_CODES.NetworkDisabled].map(String))

/** Returns `undefined` while the node starts, which is shown. */
const figuresOnceStarted = Effect.fnUntraced(function*(
  config: NodeConfig,
  line: LiveLine
): Effect.fn.Return<ShownSyncFigures | undefined, CommandFailure> {
  const { error, result } = yield* callNode(config, "getsyncstatus")
  if (error !== undefined && STARTING.has(error.code)) {
    line.show(`Starting: ${error.message}`, "Starting")
    return undefined
  }
  return result instanceof JsonMembers ? shownSyncFigures(result) : yield* figuresOf(config)
})

/** Number of consecutive checks without a peer on a private network. The node may be about to connect. */
const MOST_ASKED = 5

const watch = Effect.fnUntraced(function*(config: NodeConfig, line: LiveLine) {
  let alone = 0
  for (;;) {
    const figures = yield* figuresOnceStarted(config, line)
    if (figures !== undefined) {
      line.show(syncLine(figures), figures.stage)
      alone = isAlone(config) && isWithoutPeers(figures) ? alone + 1 : 0
      if (alone === MOST_ASKED || isCaughtUp(figures, isAlone(config))) return figures
    }
    yield* Effect.sleep(INTERVAL)
  }
})

const conclusionOf = (figures: ShownSyncFigures): string =>
  isWithoutPeers(figures)
    ? `no peers connected: nothing to sync with at height ${thousands(figures.blocks)}`
    : `caught up at height ${thousands(figures.blocks)}`

/**
 * Shows the sync progress until it is complete, or until a private network has had no peer for some seconds. `once`
 * shows one line.
 */
export const sync = Effect.fn("sync")(function*(input: GlobalInput, once: boolean) {
  const { config } = yield* callersConfig(input)
  if (once) {
    const figures = yield* figuresOf(config)
    return yield* say(`${syncLine(figures)}${isCaughtUp(figures, isAlone(config)) ? ", caught up" : ""}`)
  }
  const line = liveLine(process.stderr, yield* monotonicClock)
  const figures = yield* watch(config, line).pipe(ensuring(Effect.sync(line.end)))
  yield* say(conclusionOf(figures))
})
