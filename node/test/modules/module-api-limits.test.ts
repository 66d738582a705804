import { assert, describe, it } from "@effect/vitest"
import { PERMISSIONS, type RequestPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { EventBus } from "../../src/events/event-bus.ts"
import { useSockets } from "./test-module.ts"
import { apisOf, connectedModule } from "./test-node-side.ts"

useSockets()

/** Requests in order, each with its answer: its payload, or a part of the refusal. */
type Script = ReadonlyArray<readonly [request: RequestPayload, answer: object | string]>

const ok = (tag: string, value?: unknown): object => value === undefined ? { _tag: tag } : { _tag: tag, value }

const names = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, i) => `m${i}`)

/** A request with so many commands, each with so many arguments. */
const commands = (count: number, each: number, name = (i: number): string => `c${i}`): RequestPayload => ({
  _tag: "RegisterCliSpec",
  spec: {
    name: "watcher",
    about: undefined,
    subcommands: Array.from({ length: count }, (_, i) => ({
      name: name(i),
      about: undefined,
      arguments: Array.from({ length: each }, (__, j) => ({
        name: `a${j}`,
        about: undefined,
        required: false
      }))
    }))
  }
})

/** What is known of the test's module, which may do everything. */
const info = (version: number): object =>
  ok("ModuleInfo", {
    module_id: "watcher",
    module_name: "watcher",
    version: "0.1.0",
    capabilities: [...PERMISSIONS],
    status: { _tag: "Initializing" },
    api_version: version
  })

const SCRIPTS: Readonly<Record<string, Script>> = {
  "the limits of methods and descriptions": [
    [{ _tag: "RegisterRpcEndpoint", method: "a", description: "x".repeat(1_025) }, "a description has up to 1024"],
    [{ _tag: "RegisterRpcEndpoint", method: "a".repeat(65), description: "" }, "a method's name has up to 64 of a-z"],
    [{ _tag: "RegisterRpcEndpoint", method: "1a", description: "" }, "a letter first"],
    ...Array.from({ length: 63 }, (_, i) =>
      [
        { _tag: "RegisterRpcEndpoint", method: `m${i}`, description: "x".repeat(1_024) },
        ok("RpcEndpointRegistered")
      ] as const),
    [{ _tag: "RegisterRpcEndpoint", method: "a".repeat(64), description: "" }, ok("RpcEndpointRegistered")],
    [{ _tag: "RegisterRpcEndpoint", method: "more", description: "" }, "ResourceExhausted: a module has up to 64"],
    [{ _tag: "RegisterCoreRpcOverride", method: "analyzepsbt", description: "" }, "ResourceExhausted: a module has"],
    [{ _tag: "UnregisterRpcEndpoint", method: "m7" }, ok("RpcEndpointUnregistered")],
    [{ _tag: "RegisterRpcEndpoint", method: "more", description: "" }, ok("RpcEndpointRegistered")]
  ],
  "the limits of commands": [
    [commands(64, 16), ok("CliSpecRegistered")],
    [commands(65, 0), "ResourceExhausted: a module has up to 64 commands with up to 16 arguments each"],
    [commands(1, 17), "ResourceExhausted: a module has up to 64 commands"],
    [commands(2, 0, () => "same"), "two commands have the same name"],
    [commands(1, 0, () => "a".repeat(64)), ok("CliSpecRegistered")],
    [commands(1, 0, () => "a".repeat(65)), "a command's name has up to 64 of a-z"],
    [commands(2, 0, (i) => `${"a".repeat(i)}-B`), "a command's name has"],
    [commands(2, 0, (i) => i === 0 ? "a-1" : "_"), "a letter first"]
  ],
  "the limits of an API": [
    [{ _tag: "RegisterModuleApi", methods: names(257), api_version: 3 }, "ResourceExhausted: an API has up to 256"],
    [{ _tag: "GetModuleInfo", module_id: "watcher" }, info(0)],
    [{ _tag: "RegisterModuleApi", methods: names(256), api_version: 3 }, ok("ModuleApiRegistered")],
    [{ _tag: "GetModuleInfo", module_id: "watcher" }, info(3)],
    [{ _tag: "RegisterModuleApi", methods: ["a".repeat(65)], api_version: 4 }, "is no name of a method"],
    [{ _tag: "RegisterModuleApi", methods: ["ok", "1"], api_version: 4 }, "\"1\" is no name of a method"],
    [{ _tag: "GetModuleInfo", module_id: "watcher" }, info(3)],
    [{ _tag: "RegisterModuleApi", methods: ["a".repeat(64), "_.9"], api_version: 5 }, ok("ModuleApiRegistered")],
    [{ _tag: "DiscoverModules" }, ok("ModuleList", [(info(5) as { value: unknown }).value])],
    [{ _tag: "UnregisterModuleApi" }, ok("ModuleApiUnregistered")],
    [{ _tag: "GetModuleInfo", module_id: "watcher" }, info(0)]
  ]
}

describe("what a module may register", () => {
  it.live.each(Object.entries(SCRIPTS))("is held to %s", ([, script]) =>
    Effect.scoped(Effect.gen(function*() {
      const { asked } = yield* connectedModule(yield* apisOf())
      for (const [request, wanted] of script) {
        const answer = yield* asked(request)
        if (typeof wanted === "string") assert.include(answer, wanted)
        else assert.deepStrictEqual(answer, wanted as never)
      }
    })).pipe(Effect.provide(EventBus.layer)))
})
