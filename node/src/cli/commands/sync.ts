import * as Effect from "effect/Effect"
import type { NodeConfig } from "../../config/config.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { type LiveLine, liveLine } from "../live-line.ts"
import { thousands } from "../progress.ts"
import { say } from "../terminal.ts"
import { askNode } from "./node-client.ts"
import { isCaughtUp, type SyncFigures, syncFigures, syncLine } from "./sync-figures.ts"

const INTERVAL = "1 second"

const figuresOf = (config: NodeConfig) => Effect.map(askNode(config, "getsyncstatus"), syncFigures)

/** A chain that nobody else adds to has caught up with whatever is there. */
const isAlone = ({ network }: NodeConfig): boolean => network === "regtest"

const watch = Effect.fnUntraced(function*(config: NodeConfig, line: LiveLine) {
  for (;;) {
    const figures: SyncFigures = yield* figuresOf(config)
    line.show(syncLine(figures), figures.stage)
    if (isCaughtUp(figures, isAlone(config))) return figures
    yield* Effect.sleep(INTERVAL)
  }
})

/** Watches the running node catch up, until it has. `once`: only says how far it is. */
export const sync = Effect.fn("sync")(function*(input: GlobalInput, once: boolean) {
  const { config } = yield* callersConfig(input)
  if (once) {
    const figures = yield* figuresOf(config)
    return yield* say(`${syncLine(figures)}${isCaughtUp(figures, isAlone(config)) ? ", caught up" : ""}`)
  }
  const line = liveLine(process.stderr)
  const { blocks } = yield* watch(config, line).pipe(Effect.ensuring(Effect.sync(line.end)))
  yield* say(`caught up at height ${thousands(blocks)}`)
})
