import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { connect } from "node:net"
import { loadConfig } from "../../src/config/load-config.ts"
import { EventBus } from "../../src/events/event-bus.ts"
import { startComponents } from "../../src/lifecycle/start-components.ts"
import { RunningModules } from "../../src/modules/lifecycle/running-modules.ts"
import { RunningNetwork } from "../../src/p2p/layer/running-network.ts"
import { Shutdown } from "../../src/runtime/shutdown.ts"
import { StartupStage } from "../../src/runtime/startup-stage.ts"
import { pool } from "../../src/engine/mempool/mempool-extension.ts"
import { testEngine } from "../engine/test-engine.ts"
import { freePort } from "../process/node-process.ts"
import { ask } from "../rpc/rpc-client.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

/** Counts the fibers that run, those of all who have this in their context. */
const fiberCount = () => {
  let running = 0
  const service: Metric.FiberRuntimeMetricsService = {
    recordFiberStart: () => void running++,
    recordFiberEnd: () => void running--
  }
  return {
    counted: Effect.provideService(Metric.FiberRuntimeMetrics, service),
    running: () => running
  }
}

const AROUND = Layer.mergeAll(
  EventBus.layer,
  RunningModules.layer,
  RunningNetwork.layer,
  Shutdown.layer,
  StartupStage.layer
)

const TOKEN = "admin-token"

/** On regtest, with a server, peers and a log. */
const configOf = (directory: string, port: number, p2p: number) =>
  loadConfig({
    options: [],
    assignments: [
      `storage.data_dir=${directory}`,
      `storage.min_free_disk_mb=0`,
      `listen_addr=127.0.0.1:${p2p}`,
      `rpc_auth.admin_tokens=${TOKEN}`
    ],
    file: undefined,
    environment: {},
    machine: { home: directory, directory, processors: 2 }
  }).pipe(Effect.map(({ config }) => ({ ...config, rpc: { ...config.rpc, bind: { host: "127.0.0.1", port } } })))

describe("no fiber lives on after the scope", () => {
  it.live("of a node with RPC calls and a peer", () =>
    Effect.gen(function*() {
      const { counted, running } = fiberCount()
      const directory = yield* temporaryDirectory
      const [rpc, p2p] = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
      const config = yield* configOf(directory, rpc, p2p)
      yield* Effect.gen(function*() {
        const before = running()
        const scope = yield* Scope.make()
        yield* startComponents(config, scope)
        const socket = connect(p2p, "127.0.0.1")
        yield* Effect.promise(() => once(socket, "connect"))
        // Its answer is still to come when the scope closes.
        const waiting = ask({ host: "127.0.0.1", port: rpc }, "waitfornewblock", []).catch(() => undefined)
        yield* Effect.promise(() => ask({ host: "127.0.0.1", port: rpc }, "getblockcount", []))
        assert.isAbove(running(), before + 10)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(running(), before)
        socket.destroy()
        yield* Effect.promise(() => waiting)
      }).pipe(Effect.provide(AROUND), counted)
    }))

  it.live("of an engine with a mempool", () =>
    Effect.gen(function*() {
      const { counted, running } = fiberCount()
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function*() {
        const before = running()
        const scope = yield* Scope.make()
        yield* Scope.provide(testEngine({ directory, extensions: [pool] }), scope)
        assert.isAbove(running(), before)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(running(), before)
      }).pipe(counted)
    }))
})
