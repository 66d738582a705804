import * as Effect from "effect/Effect"
import type { NodeConfig } from "../../config/config.ts"
import { type JsonMembers, JsonNumber } from "../../rpc/json/json-value.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { type ProgressDisplay, progressOn } from "../progress.ts"
import { say } from "../terminal.ts"
import { askNode } from "./node-client.ts"

const INTERVAL = "1 second"

interface SyncState {
  readonly blocks: number
  readonly headers: number
  readonly isDone: boolean
}

const numberIn = (members: JsonMembers, key: string): number => {
  const value = members.get(key)
  return value instanceof JsonNumber ? Number(value.text) : 0
}

/** A chain that nobody else adds to has caught up with whatever is there. */
const syncState = (chain: JsonMembers): SyncState => {
  const [blocks, headers] = [numberIn(chain, "blocks"), numberIn(chain, "headers")]
  const isCatchingUp = chain.get("initialblockdownload") === true && chain.get("chain") !== "regtest"
  return { blocks, headers, isDone: blocks >= headers && !isCatchingUp }
}

const watch = Effect.fnUntraced(function*(config: NodeConfig, display: ProgressDisplay) {
  for (;;) {
    const state = syncState(yield* askNode(config, "getblockchaininfo"))
    display.report({ task: "blocks", done: state.blocks, total: state.headers })
    if (state.isDone) return state
    yield* Effect.sleep(INTERVAL)
  }
})

/** Watches the running node catch up, until it has. `once`: only says how far it is. */
export const sync = Effect.fn("sync")(function*(input: GlobalInput, once: boolean) {
  const { config } = yield* callersConfig(input)
  if (once) {
    const { blocks, headers, isDone } = syncState(yield* askNode(config, "getblockchaininfo"))
    return yield* say(`${blocks} of ${headers} blocks${isDone ? ", caught up" : ""}`)
  }
  const display = progressOn(process.stderr)
  const { blocks } = yield* watch(config, display).pipe(Effect.ensuring(Effect.sync(display.end)))
  yield* say(`caught up at height ${blocks}`)
})
