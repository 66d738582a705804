import { assert, describe, it } from "@effect/vitest"
import { semanticVersionOf } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EventBus } from "../../../src/events/event-bus.ts"
import { makeModules } from "../../../src/modules/lifecycle/modules.ts"
import { fiberCount } from "../../p2p/simulation/fiber-count.ts"
import { apisOf } from "../test-node-side.ts"
import { MODULE_SOURCE } from "./module-program.ts"

const version = semanticVersionOf("0.1.0")!

const MEBIBYTE = 1_048_576

const MANIFEST = `name = "a"
version = "0.1.0"
description = ""
entry_point = "run"
capabilities = ["subscribe_events", "manage_timers"]
`

const TIMER = 31
const PROGRAM = `${MODULE_SOURCE}handshake(); request(${TIMER}, u64(60)); subscribe(0)`

/** Modules without confinement, which costs no sandbox; what is counted is the node's. */
const modulesIn = Effect.fnUntraced(function*() {
  const { apis, directory } = yield* apisOf()
  const places = { modules: join(directory, "m"), sockets: join(directory, "s"), data: join(directory, "d") }
  mkdirSync(join(places.modules, "a"), { recursive: true })
  writeFileSync(join(places.modules, "a", "module.toml"), MANIFEST)
  writeFileSync(join(places.modules, "a", "run"), PROGRAM, { mode: 0o755 })
  const { open, ...methods } = apis
  const modules = yield* makeModules({
    directory: places.modules,
    rules: {
      versions: { consensus: version, protocol: version, node: version },
      pins: new Map(),
      signatures: { required: false, trustedKeys: new Set() }
    },
    settings: new Map(),
    barrier: undefined,
    registry: undefined,
    methods,
    open: ({ capabilities, name, rpcOverrides, versionText }, announce) =>
      open({
        name,
        version: versionText,
        permissions: new Set(capabilities),
        rpcOverrides: new Set(rpcOverrides),
        networkRules: { listen: [], connect: [], isBehindProxy: false },
        dataDirectory: join(places.data, name),
        storageDirectory: join(places.data, `${name}-storage`)
      }, announce),
    spawn: {
      confinement: { _tag: "None", reason: "" },
      limits: { memoryBytes: 512 * MEBIBYTE, processorPercent: 100, openFiles: 256, diskBytes: 1_073_741_824 },
      socketDirectory: places.sockets,
      dataDirectory: places.data,
      nodeVersion: "0.1.0",
      allowsMissingHandshake: false,
      connectMs: 60_000,
      endMs: 60_000
    },
    restartsCrashed: false,
    subscribeMs: 60_000
  })
  return { modules, places }
})

const openFiles = (): number => process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0

describe("a module that is loaded and unloaded again and again", () => {
  it.live("leaves no fiber, no open file, no socket and no subscription", () => {
    const fibers = fiberCount((defect) => assert.fail(defect))
    return Effect.scoped(Effect.gen(function*() {
      const { modules, places } = yield* modulesIn()
      const cycle = Effect.andThen(modules.load("a"), modules.unload("a"))
      yield* cycle
      const before = { fibers: fibers.running(), files: openFiles() }
      for (let i = 0; i < 5; i++) yield* cycle
      assert.strictEqual(fibers.running(), before.fibers)
      assert.isAtMost(openFiles(), before.files)
      assert.deepStrictEqual(readdirSync(places.sockets), [])
      assert.deepStrictEqual(modules.methods.all(), [])
    })).pipe(
      Effect.provide([EventBus.layer, Logger.layer([])]),
      Effect.provideService(Metric.FiberRuntimeMetrics, fibers.metrics)
    )
  })
})
