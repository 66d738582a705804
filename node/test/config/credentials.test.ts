import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace, option, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"

describe("credentials", () => {
  it.effect("serves other machines only with credentials or when it is forced", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const options = [option("rpc-addr", "rpc_addr", "0.0.0.0:18443")]
        const problems = yield* problemsOf(place.request({ options }))
        assert.strictEqual(problems.length, 1)
        assert.include(problems[0], "--unsafe-rpc-bind")
        const forced = yield* loadConfig(
          place.request({ options: [...options, option("unsafe-rpc-bind", "unsafe_rpc_bind", "true")] })
        )
        assert.deepStrictEqual(forced.config.rpc.bind, { host: "0.0.0.0", port: 18_443 })
        assert.strictEqual(forced.config.warnings.length, 1)
        const secured = yield* loadConfig(place.request({ options, environment: { RPC_AUTH_TOKENS: "a, b" } }))
        assert.deepStrictEqual(secured.config.rpc.credentials.tokens, ["a", "b"])
        for (const address of ["127.0.0.2:1", "[::1]:1", "localhost:1"]) {
          yield* loadConfig(place.request({ options: [option("rpc-addr", "rpc_addr", address)] }))
        }
      })
    ))

  it.effect("RPC_AUTH_TOKENS is stronger than token_file, and that than tokens", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const list = `${TCP}[rpc_auth]\ntokens = ["listed"]\n`
        const tokens = (request: Parameters<typeof loadConfig>[0]) =>
          Effect.map(loadConfig(request), ({ config }) => config.rpc.credentials.tokens)
        place.write("work/node.toml", list)
        assert.deepStrictEqual(yield* tokens(place.request()), ["listed"])
        place.write("home/tokens", "# people\nfiled\n\n  second  \n")
        place.write("work/node.toml", `${list}token_file = "~/tokens"\n`)
        assert.deepStrictEqual(yield* tokens(place.request()), ["filed", "second"])
        assert.deepStrictEqual(yield* tokens(place.request({ environment: { RPC_AUTH_TOKENS: "named" } })), ["named"])
        place.write("work/node.toml", `${list}token_file = "~/none"\n`)
        assert.deepStrictEqual(yield* problemsOf(place.request()), [
          `[rpc_auth].token_file: ${join(place.home, "none")}: no such file`
        ])
      })
    ))

  it.effect("credentials that cannot work are refused", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const about = (auth: string) => {
          place.write("work/node.toml", `${TCP}[rpc_auth]\n${auth}\n`)
          return Effect.map(problemsOf(place.request()), (problems) => problems.join("\n"))
        }
        assert.include(yield* about("username = \"x\""), "username without password")
        assert.include(yield* about("password = \"hunter2\""), "password without username")
        assert.notInclude(yield* about("password = \"hunter2\""), "hunter2")
        assert.strictEqual(yield* about("required = true"), "")
        assert.strictEqual(yield* about("username = \"x\"\npassword = \"y\"\nrequired = true"), "")
      })
    ))

  it.effect("warns of credentials that others can read", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write("work/node.toml", `${TCP}[rpc_auth]\ntokens = ["secret-token"]\n`)
        assert.deepStrictEqual((yield* loadConfig(place.request())).config.warnings, [])
        chmodSync(file, 0o644)
        const { warnings } = (yield* loadConfig(place.request())).config
        assert.strictEqual(warnings.length, 1)
        assert.include(warnings[0], `chmod 600 ${file}`)
      })
    ))

  it.effect("does not take limits, names of files and empty lists for credentials", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        place.write("home/tokens", "abc\n")
        const table =
          "rate_limit_burst = 1\nrate_limit_rate = 1\nrequired = true\ntokens = []\ntoken_file = \"~/tokens\"\n"
        const file = place.write("work/node.toml", `${TCP}[rpc_auth]\n${table}`)
        chmodSync(file, 0o644)
        assert.deepStrictEqual((yield* loadConfig(place.request())).config.warnings, [])
      })
    ))

  it.effect("warns of a file of tokens that others can read", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const tokens = place.write("home/tokens", "abc\n")
        place.write("work/node.toml", `${TCP}[rpc_auth]\ntoken_file = "~/tokens"\n`)
        assert.deepStrictEqual((yield* loadConfig(place.request())).config.warnings, [])
        chmodSync(tokens, 0o640)
        const { warnings } = (yield* loadConfig(place.request())).config
        assert.strictEqual(warnings.length, 1)
        assert.include(warnings[0], `chmod 600 ${tokens}`)
      })
    ))

  it.effect("required alone is served to those who read the cookie, on any address", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        place.write(
          "work/node.toml",
          `${TCP}[rpc_auth]\nrequired = true\n[rest_api]\nenabled = true\nlisten_addr = "0.0.0.0:28443"\n`
        )
        const { config } = yield* loadConfig(
          place.request({ options: [option("rpc-addr", "rpc_addr", "0.0.0.0:18443")] })
        )
        assert.isTrue(config.rpc.credentials.required)
        assert.deepStrictEqual(config.warnings, [])
      })
    ))
})
