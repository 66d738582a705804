import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync } from "node:fs"
import { loadConfig } from "../../src/config/load-config.ts"
import { explainText } from "../../src/config/show/explain.ts"
import { inPlace, option, type Place, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"
const HASH = "0123456789abcdef".repeat(4)

const withTables = (place: Place, text: string): string => place.write("work/node.toml", `${TCP}${text}\n`)

const AT = (address: string) => ({ options: [option("rpc-addr", "rpc_addr", address)] })

describe("who may call, from where and what", () => {
  it.effect("salted passwords are credentials, and secrets", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = withTables(place, `[rpc_auth]\nrpcauth = ["alice:salt$${HASH}", "bob:s$${HASH}"]`)
        const loaded = yield* loadConfig(place.request(AT("0.0.0.0:18443")))
        assert.deepStrictEqual(loaded.config.rpc.credentials.salted, [
          { user: "alice", salt: "salt", hash: HASH },
          { user: "bob", salt: "s", hash: HASH }
        ])
        assert.notInclude(explainText(loaded), HASH)
        chmodSync(file, 0o644)
        assert.include((yield* loadConfig(place.request())).config.warnings.join(), "chmod 600")
      })
    ))

  it.effect("a user that no password can match is refused, and not repeated", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const bad = [
          "alice",
          `alice:salt${HASH}`,
          `alice:salt$${HASH.toUpperCase()}`,
          `alice:salt$${HASH}0`,
          `:salt$${HASH}`,
          `a:b:salt$${HASH}`,
          `alice:$${HASH}`
        ]
        for (const text of bad) {
          withTables(place, `[rpc_auth]\nrpcauth = ["${text}"]`)
          const [problem] = yield* problemsOf(place.request())
          assert.include(problem, "[rpc_auth].rpcauth: expected a list, each member a text user:salt$hash", text)
          assert.include(problem, "found a text as member 1")
          assert.notInclude(problem, HASH)
        }
      })
    ))

  it.effect("lists of methods, by table and with --set", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        withTables(
          place,
          "[rpc_auth]\nwhitelist_default = false\n[rpc_auth.whitelist]\nalice = [\"getblockcount\", \"help\"]"
        )
        const { credentials } = (yield* loadConfig(place.request())).config.rpc
        assert.deepStrictEqual([credentials.whitelist, credentials.whitelistDefault], [{
          alice: ["getblockcount", "help"]
        }, false])
        const set = yield* loadConfig(place.request({ assignments: ["rpc_auth.whitelist={ bob = [\"stop\"] }"] }))
        assert.deepStrictEqual(set.config.rpc.credentials.whitelist, { bob: ["stop"] })
        withTables(place, "[rpc_auth.whitelist]\nalice = \"getblockcount\"")
        assert.include((yield* problemsOf(place.request())).join(), "[rpc_auth].whitelist: expected a table")
      })
    ))

  it.effect("subnets are judged, and warned about where they change nothing", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        withTables(place, "[rpc_auth]\nrequired = true\n[rpc]\nallow_ip = [\"10.0.0.0/8\", \"::1\"]")
        const near = (yield* loadConfig(place.request())).config
        assert.deepStrictEqual(near.rpc.allowed, ["10.0.0.0/8", "::1"])
        assert.include(near.warnings.join(), "[rpc].allow_ip changes nothing while RPC listens on 127.0.0.1:18443")
        assert.deepStrictEqual((yield* loadConfig(place.request(AT("0.0.0.0:1")))).config.warnings, [])
        withTables(place, "[rpc]\nallow_ip = [\"127.0.0.0/8\", \"127.0.0.1\", \"::1\"]")
        assert.deepStrictEqual((yield* loadConfig(place.request())).config.warnings, [])
        withTables(place, "[rpc]\nallow_ip = [\"10.0.0.0/8\", \"everywhere\"]")
        assert.include(
          (yield* problemsOf(place.request())).join(),
          "[rpc].allow_ip: expected a list, each member an IP address or a subnet"
        )
      })
    ))
})
