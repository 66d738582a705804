import { spawnEngine } from "../../node/src/engine-client/engine-thread.ts"
import type { ChainState } from "../../node/src/engine/api/chain-state.ts"
import type { EngineCallName, EngineCalls } from "../../node/src/engine/api/engine-calls.ts"
import type { EngineMessage } from "../../node/src/engine/api/engine-messages.ts"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../node/src/engine/options/settings.ts"
import type { EngineOptions } from "../../node/src/engine/options/engine-options.ts"
import { NO_INDEXES } from "../../node/src/engine/options/index-switches.ts"

/** The engine in its own thread, as the node's main thread has it, without the rest of the node. */
export interface EngineClient {
  readonly call: <N extends EngineCallName>(name: N, input: EngineCalls[N]["in"]) => Promise<EngineCalls[N]["out"]>
  readonly state: () => ChainState
  /** Writes everything to disk and ends the thread. */
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (reason: Error) => void
}

/** A regtest node of default settings. */
export const ENGINE_OPTIONS: Omit<EngineOptions, "directory"> = {
  network: "regtest",
  activationHeights: {},
  backend: "auto",
  coreBlocks: undefined,
  dbcacheBytes: 450 * 1024 * 1024,
  scriptWorkers: 2,
  assumedValid: { _tag: "NetworkDefault" },
  pruning: { _tag: "Disabled" },
  ...NO_INDEXES,
  mempool: DEFAULT_MEMPOOL_SETTINGS,
  minimumFreeBytes: 0
}

/** Starts the engine; resolves when it can be called. */
export const startEngine = (options: EngineOptions): Promise<EngineClient> => {
  const worker = spawnEngine({ options })
  const waiting = new Map<number, Waiting>()
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()))
  let state: ChainState | undefined
  let nextId = 1
  const call = <N extends EngineCallName>(name: N, input: EngineCalls[N]["in"]): Promise<EngineCalls[N]["out"]> =>
    new Promise((resolve, reject) => {
      waiting.set(nextId, { resolve, reject })
      worker.postMessage({ id: nextId++, name, input }, [])
    })
  const client: EngineClient = {
    call,
    state: () => state!,
    close: async () => {
      await call("close", undefined)
      await ended
    }
  }
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      reject(new Error(reason))
      for (const each of waiting.values()) each.reject(new Error(reason))
    }
    worker.on("error", (error) => fail(String(error)))
    const receive = (message: EngineMessage): void => {
      switch (message._tag) {
        case "Ready":
          return resolve(client)
        case "Refused":
          return fail(`the engine does not start: ${message.message}`)
        case "Notifications":
          for (const notification of message.notifications) {
            if (notification._tag === "State") state = notification.state
            if (notification._tag === "Fatal") fail(`the engine stopped: ${notification.message}`)
          }
          return
        case "Answer":
          return waiting.get(message.id)?.resolve(message.value as never)
        case "Failure":
          return waiting.get(message.id)?.reject(
            new Error(`the engine refuses a call: ${JSON.stringify(message.error)}`)
          )
        case "Batch":
          return message.messages.forEach(receive)
      }
    }
    worker.on("message", receive)
  })
}
