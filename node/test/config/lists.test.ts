import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { FILE_KEYS } from "../../src/config/catalogue.ts"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace, option, problemsOf } from "./loading.ts"

const PEERS = ["127.0.0.1:18444", "[::1]:18445", "node.example"]

const FORMS: ReadonlyArray<readonly [form: string, text: string]> = [
  ["a list of TOML", "[\"127.0.0.1:18444\", '[::1]:18445', \"node.example\",]"],
  ["a list of JSON", "[\"127.0.0.1:18444\",\"[::1]:18445\",\"node.example\"]"],
  ["texts between commas", "127.0.0.1:18444, [::1]:18445,node.example"]
]

/** Texts that name no node, and the member each is in a list behind a good one. */
const BAD = [
  "[\"127.0.0.1:18444\"",
  "[127.0.0.1:18444]",
  "\"192.0.2.1\"",
  "192.0.2.1:70000",
  "192.0.2.1:0",
  "1.2.3.400",
  "a b",
  "host:port",
  "[::1",
  "short.onion"
]

const setting = (key: string, text: string) => ({ assignments: [`${key}=${text}`] })

describe("lists", () => {
  for (const [form, text] of FORMS) {
    it.effect(`${form} sets the same peers with --set, NODE_IBD_PEERS and in the file`, () =>
      inPlace((place) =>
        Effect.gen(function*() {
          const bySet = yield* loadConfig(place.request(setting("persistent_peers", text)))
          assert.deepStrictEqual(bySet.config.peers.persistent, PEERS)
          const byVariable = yield* loadConfig(place.request({ environment: { NODE_IBD_PEERS: text } }))
          assert.deepStrictEqual(byVariable.config.download.peers, PEERS)
          if (!text.startsWith("[")) return
          place.write("work/node.toml", `transport_preference = "tcponly"\npersistent_peers = ${text}\n`)
          assert.deepStrictEqual((yield* loadConfig(place.request())).config.peers.persistent, PEERS)
        })
      ))
  }

  it.effect("tokens in RPC_AUTH_TOKENS may be a list, or texts between commas", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        for (const text of ["[\"abc\", \"def\"]", "abc,def"]) {
          const { config } = yield* loadConfig(place.request({ environment: { RPC_AUTH_TOKENS: text } }))
          assert.deepStrictEqual(config.rpc.credentials.tokens, ["abc", "def"])
        }
      })
    ))

  for (const bad of BAD) {
    it.effect(`${bad} is no peer: its position and what is expected are named`, () =>
      inPlace((place) =>
        Effect.gen(function*() {
          const list = JSON.stringify(["192.0.2.1", bad])
          const expected =
            "expected a list, each member the address or name of a node, such as \"192.0.2.1:8333\", found " +
            `${JSON.stringify(bad)} as member 2`
          assert.deepStrictEqual(yield* problemsOf(place.request(setting("persistent_peers", list))), [
            `--set persistent_peers: ${expected}`
          ])
          assert.deepStrictEqual(yield* problemsOf(place.request({ environment: { NODE_IBD_PEERS: list } })), [
            `NODE_IBD_PEERS: ${expected}`
          ])
          const file = place.write("work/node.toml", `transport_preference = "tcponly"\npersistent_peers = ${list}\n`)
          assert.deepStrictEqual(yield* problemsOf(place.request()), [`${file}:2: persistent_peers: ${expected}`])
        })
      ))
  }

  it.effect("every bad member is named", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const [problem] = yield* problemsOf(
          place.request(setting("connections.trusted_peers", "[\"10.0.0.0/8\", \"x\", 3]"))
        )
        assert.include(problem, "found \"x\" as member 2 and 3 as member 3")
        const [between] = yield* problemsOf(place.request(setting("connections.trusted_peers", "10.0.0.0/8,x")))
        assert.include(between, "found \"x\" as member 2")
      })
    ))

  it.effect("a secret member is named by its position alone", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write(
          "work/node.toml",
          "transport_preference = \"tcponly\"\n[rpc_auth]\ntokens = [\"good\", \"hunter2 hunter2\"]\n"
        )
        assert.deepStrictEqual(yield* problemsOf(place.request()), [
          `${file}:3: [rpc_auth].tokens: expected a list, each member a text without spaces, found a text as member 2`
        ])
        const [problem] = yield* problemsOf(place.request({ environment: { RPC_AUTH_TOKENS: "good,hunter2 hunter2" } }))
        assert.include(problem, "found a text as member 2")
      })
    ))

  it.effect("tables and texts may be written with --set as they are in the file", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const { config } = yield* loadConfig(place.request({
          options: [option("log-level", "logging.level", "warn")],
          assignments: [
            "logging.categories={ rpc = \"debug\", net = \"trace\" }",
            "storage.pruning.mode={ type = \"normal\", min_recent_blocks = 500 }",
            "storage.data_dir=\"/srv/node\"",
            "listen_addr='127.0.0.1:5'",
            "logging.level=\"error\""
          ]
        }))
        assert.deepStrictEqual(config.logging.categories, { rpc: "debug", net: "trace" })
        assert.deepStrictEqual(config.storage.pruning, { _tag: "KeepBlocks", blocks: 500 })
        assert.strictEqual(config.dataDirectory, "/srv/node/regtest")
        assert.deepStrictEqual(config.peers.listen, { host: "127.0.0.1", port: 5 })
        assert.strictEqual(config.logging.level, "error")
      })
    ))

  it("every key that takes a list knows what its members are", () => {
    const lists = FILE_KEYS.filter(({ facts }) => Array.isArray(facts.fallback))
    assert.isAbove(lists.length, 3)
    for (const { facts, name } of lists) assert.isDefined(facts.member, name)
  })
})
