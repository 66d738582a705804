import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace, option, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"

const bindWith = (table: string, rpc?: string) =>
  inPlace((place) => {
    place.write("work/node.toml", `${TCP}${table}\n`)
    const options = rpc === undefined ? [] : [option("rpc-addr", "rpc_addr", rpc)]
    return Effect.map(loadConfig(place.request({ options })), ({ config }) => config.rest?.bind)
  })

const problemsWith = (table: string, rpc = "127.0.0.1:18443") =>
  inPlace((place) => {
    place.write("work/node.toml", `${TCP}${table}\n`)
    return problemsOf(place.request({ options: [option("rpc-addr", "rpc_addr", rpc)] }))
  })

const ON = "[rest_api]\nenabled = true"

describe("the address of REST", () => {
  it.effect("there is none unless it is asked for", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* bindWith(""))
      assert.isUndefined(yield* bindWith("[rest_api]\nenabled = false\nlisten_addr = \"127.0.0.1:1\""))
    }))

  it.effect("its port follows that of RPC", () =>
    Effect.gen(function*() {
      const ports = [["8332", 8_080], ["18332", 18_080], ["18443", 28_443], ["1000", 11_000]] as const
      for (const [rpc, port] of ports) {
        assert.deepStrictEqual(yield* bindWith(ON, `127.0.0.1:${rpc}`), { host: "127.0.0.1", port })
      }
      assert.deepStrictEqual(yield* bindWith(ON), { host: "127.0.0.1", port: 28_443 })
    }))

  it.effect("may be given", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* bindWith(`${ON}\nlisten_addr = "[::1]:9000"`), { host: "::1", port: 9_000 })
    }))

  it.effect("that leaves no port, or is open to other machines without credentials, is refused", () =>
    Effect.gen(function*() {
      const [noPort = ""] = yield* problemsWith(ON, "127.0.0.1:60000")
      assert.include(noPort, "set [rest_api].listen_addr")
      const open = `${ON}\nlisten_addr = "0.0.0.0:9000"`
      const [isOpen = ""] = yield* problemsWith(open)
      assert.include(isOpen, "would be open to other machines")
      assert.deepStrictEqual(yield* problemsWith(`${open}\n[rpc_auth]\ntokens = ["t"]`), [])
    }))
})
