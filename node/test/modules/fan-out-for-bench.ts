import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { createServer, type Socket } from "node:net"
import { EventBus } from "../../src/events/event-bus.ts"
import { openModuleEvents } from "../../src/modules/events/module-events.ts"
import { moduleConnection } from "../../src/modules/ipc/connection.ts"
import { openModuleSession } from "../../src/modules/ipc/session.ts"
import { unixSeconds } from "../../src/quantities.ts"
import { BENCH_MODULE } from "./serve-for-bench.ts"

/** What is asked for: events of so many blocks for so many modules. */
export interface AskedOfFanOut {
  readonly path: string
  /** The program of the modules. */
  readonly readers: string
  readonly modules: number
  readonly blocks: number
}

/** Microseconds of the thread that serves the modules, and events that were dropped. */
export interface FanOut {
  readonly micros: number
  readonly dropped: number
}

/** From one block to the next, as in the bench sync. */
const PACE = "16 millis"

const HASH = "07".repeat(32)

const TYPES = [
  "NewBlock",
  "BlockValidationStarted",
  "BlockValidationCompleted",
  "UTXOValidationStarted",
  "UTXOValidationCompleted"
] as const

const publishBlock = Effect.fnUntraced(function*({ publish }: EventBus["Service"], height: number) {
  const block = { block_hash: HASH, height }
  yield* publish("BlockValidationStarted", block)
  yield* publish("UTXOValidationStarted", { ...block, inputs: 500 })
  yield* publish("UTXOValidationCompleted", { ...block, valid: true, duration_ms: 3 })
  yield* publish("BlockValidationCompleted", { ...block, valid: true, duration_ms: 9 })
  yield* publish("NewBlock", { ...block, transactions: 500 })
})

/** Connections of modules, once all are there. */
const connected = ({ modules, path, readers }: AskedOfFanOut): Promise<ReadonlyArray<Socket>> =>
  new Promise((resolve) => {
    const sockets: Array<Socket> = []
    if (modules === 0) return resolve(sockets)
    const server = createServer((socket) => {
      if (sockets.push(socket) < modules) return
      server.close()
      resolve(sockets)
    })
    server.listen(path, () => void spawn(process.execPath, [readers, path, String(modules)], { stdio: "inherit" }))
  })

const fanOut = Effect.fnUntraced(function*(asked: AskedOfFanOut) {
  const bus = yield* EventBus
  const events = yield* openModuleEvents(() => unixSeconds(1_700_000_000))
  const sockets = yield* Effect.promise(() => connected(asked))
  yield* Effect.forEach(sockets, (socket, i) =>
    Effect.gen(function*() {
      const session = yield* openModuleSession(moduleConnection(socket), {
        name: BENCH_MODULE.module_name,
        version: BENCH_MODULE.version,
        moduleId: BENCH_MODULE.module_id,
        nodeVersion: "bench",
        permissions: new Set(),
        handle: () => Effect.never,
        log: () => Effect.void
      })
      const channel = yield* events.open(`bench-${i}`)
      channel.subscribe(TYPES)
      yield* Effect.forkScoped(Effect.ignore(Effect.raceFirst(session.serve, channel.deliver(session.outlet))))
    }), { concurrency: "unbounded" })
  const run = (blocks: number) =>
    Effect.forEach(
      Array.from({ length: blocks }, (_, height) => height),
      (height) => Effect.andThen(publishBlock(bus, height), Effect.sleep(PACE)),
      { discard: true }
    )
  yield* run(asked.blocks)
  const before = process.threadCpuUsage()
  yield* run(asked.blocks)
  const { system, user } = process.threadCpuUsage(before)
  const dropped = events.channels().reduce((sum, { statistics }) => sum + statistics().channelFull, 0)
  return { micros: system + user, dropped } satisfies FanOut
})

/** Fans events out, and measures that. */
export const measuredFanOut = (asked: AskedOfFanOut): Promise<FanOut> =>
  Effect.runPromise(Effect.scoped(Effect.provide(fanOut(asked), EventBus.layer)))
