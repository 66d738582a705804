import { nobleCrypto } from "@lockstep/kernel/noble"
import {
  type ModuleMessageOf,
  type Permission,
  PERMISSIONS,
  type RequestPayload
} from "@lockstep/protocol/module-ipc/index.ts"
import { networkPlaceOf } from "@lockstep/protocol/module-manifest/index.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { EventBus } from "../../src/events/event-bus.ts"
import type { NodeSide } from "../../src/modules/api/module-context.ts"
import { type ModuleApis, openModuleApis } from "../../src/modules/api/module-apis.ts"
import { openModuleEvents } from "../../src/modules/events/module-events.ts"
import { moduleConnection } from "../../src/modules/ipc/connection.ts"
import { openModuleSession } from "../../src/modules/ipc/session.ts"
import type { NetworkRules } from "../../src/modules/network/network-rules.ts"
import { unixSeconds } from "../../src/quantities.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { connected } from "./test-module.ts"

const missing = (): never => {
  throw new Error("this test has no engine")
}

/** The node's side without an engine and without a network, unless a test gives them. */
export const apisOf = Effect.fnUntraced(function*(parts: Partial<NodeSide> = {}) {
  const bus = yield* EventBus
  const events = yield* openModuleEvents(() => unixSeconds(1_000))
  const apis = openModuleApis({
    chain: { call: missing, state: () => undefined, states: missing as never, subscribe: missing },
    blocks: undefined as never,
    crypto: nobleCrypto,
    network: REGTEST,
    peers: () => undefined,
    publish: bus.publish,
    events,
    configLoaded: { _tag: "ConfigLoaded", changed_sections: ["storage"], config_json: "{\"network\":\"regtest\"}" },
    isCoreMethod: (name) => name === "getblockcount" || name === "analyzepsbt",
    now: () => unixSeconds(1_000),
    ...parts
  })
  return { apis, bus, events, directory: yield* temporaryDirectory }
})

const LOOPBACK = networkPlaceOf("127.0.0.1:*")!
export const NETWORK: NetworkRules = { listen: [LOOPBACK], connect: [LOOPBACK], isBehindProxy: false }

/** How a test's module differs from one that may do everything. */
interface ModuleOptions {
  readonly name?: string
  readonly without?: ReadonlyArray<Permission>
  readonly network?: Partial<NetworkRules>
}

/** A module over a real socket, its API open. Its requests are answered one after another. */
export const connectedModule = Effect.fnUntraced(
  function*(
    { apis, bus, directory }: {
      readonly apis: ModuleApis
      readonly bus: EventBus["Service"]
      readonly directory: string
    },
    { name = "watcher", network = {}, without = [] }: ModuleOptions = {}
  ) {
    const data = join(directory, name)
    mkdirSync(data, { recursive: true })
    const facts = {
      name,
      version: "0.1.0",
      permissions: new Set(PERMISSIONS.filter((permission) => !without.includes(permission))),
      rpcOverrides: new Set(["analyzepsbt", "getnothing"]),
      networkRules: { ...NETWORK, ...network },
      dataDirectory: data,
      storageDirectory: join(directory, `${name}-storage`)
    }
    const api = yield* apis.open(facts, bus.publish("ModuleLoaded", { module_name: name, version: "0.1.0" }))
    const { module, server } = yield* connected
    module.ask({ _tag: "Handshake", module_id: name, module_name: name, version: "0.1.0" })
    const session = yield* openModuleSession(moduleConnection(server), {
      ...api,
      name,
      version: "0.1.0",
      moduleId: name,
      nodeVersion: "test",
      log: () => Effect.void
    })
    yield* module.next
    const serving = yield* Effect.forkScoped(api.serve(session))

    /** The answer, or the words of the refusal. */
    const asked = Effect.fnUntraced(function*(request: RequestPayload) {
      module.ask(request)
      const { error, payload } = (yield* module.next) as ModuleMessageOf<"Response">
      return payload ?? error!
    })
    return { module, api, data, asked, end: Fiber.interrupt(serving) }
  }
)
