import { semanticVersionOf } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeModules, type ModulesOptions } from "../../../src/modules/lifecycle/modules.ts"
import type { SpawnRules } from "../../../src/modules/lifecycle/spawn.ts"
import { apisOf } from "../test-node-side.ts"

const version = semanticVersionOf("0.1.0")!

const MEBIBYTE = 1_048_576

/** How a test's module is run. */
interface TestedModule {
  readonly program: string
  readonly capabilities: ReadonlyArray<string>
  readonly times?: Partial<Pick<SpawnRules, "connectMs" | "endMs" | "reconnectMs">>
  readonly options?: Partial<Pick<ModulesOptions, "barrier" | "registry" | "restartsCrashed" | "rules">>
}

/** The module `a` without confinement, which costs no sandbox: what is looked at is the node's. */
export const modulesInDirectory = Effect.fnUntraced(function*({ capabilities, options, program, times }: TestedModule) {
  const { apis, directory } = yield* apisOf()
  const places = { modules: join(directory, "m"), sockets: join(directory, "s"), data: join(directory, "d") }
  mkdirSync(join(places.modules, "a"), { recursive: true })
  writeFileSync(
    join(places.modules, "a", "module.toml"),
    `name = "a"\nversion = "0.1.0"\ndescription = ""\nentry_point = "run"\ncapabilities = ${
      JSON.stringify(capabilities)
    }\n`
  )
  writeFileSync(join(places.modules, "a", "run"), program, { mode: 0o755 })
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
    open: ({ capabilities: granted, name, rpcOverrides, versionText }, announce) =>
      open({
        name,
        version: versionText,
        permissions: new Set(granted),
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
      reconnectMs: 60_000,
      endMs: 60_000,
      ...times
    },
    restartsCrashed: false,
    subscribeMs: 60_000,
    ...options
  })
  return { modules, places }
})
