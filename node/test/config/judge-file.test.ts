import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { FILE_KEYS } from "../../src/config/catalogue.ts"
import { judgeFile } from "../../src/config/file/judge-file.ts"
import { parseFile } from "../../src/config/file/parse-file.ts"
import { tomlValue } from "../../src/config/show/toml-value.ts"

const judged = (text: string, path = "node.toml") => Effect.map(parseFile(path, text), judgeFile)

const HEAD = "transport_preference = \"tcponly\"\n"

/** A file that has one key only, beside the one every file needs. */
const fileWith = (name: string, value: string): string => {
  const end = name.lastIndexOf(".")
  if (name === "transport_preference") return `${name} = ${value}\n`
  return end < 0 ? `${HEAD}${name} = ${value}\n` : `${HEAD}[${name.slice(0, end)}]\n${name.slice(end + 1)} = ${value}\n`
}

const WRONG = [
  "\"\\u0000\"",
  "-1",
  "1.5",
  "true",
  "[]",
  "[1]",
  "{ surely = \"wrong\" }",
  "1979-05-27",
  "123456789012345678901"
]

describe("judgeFile", () => {
  for (const { facts, name, shown } of FILE_KEYS) {
    it.effect(`${name}: a wrong value is answered with file, line, key and what was expected`, () =>
      Effect.gen(function*() {
        let refused = 0
        for (const value of WRONG) {
          const { problems } = yield* judged(fileWith(name, value))
          if (problems.length === 0) continue
          refused++
          const line = name === "transport_preference" ? 1 : name.includes(".") ? 3 : 2
          assert.strictEqual(problems.length, 1)
          assert.isTrue(
            problems[0]!.startsWith(`node.toml:${line}: ${shown}: expected ${facts.expects}, found `),
            problems[0]
          )
        }
        assert.isAbove(refused, WRONG.length - 4)
      }))

    it.effect(`${name}: its default and its example are taken`, () =>
      Effect.gen(function*() {
        for (const value of [facts.fallback, facts.example]) {
          if (value === undefined) continue
          const { given, problems } = yield* judged(fileWith(name, tomlValue(value)))
          assert.deepStrictEqual(problems, [])
          assert.deepStrictEqual(given.find(({ key }) => key === name)?.value, value)
        }
      }))
  }

  it.effect("names the nearest key, in the same table first", () =>
    Effect.gen(function*() {
      const { problems } = yield* judged([
        "transport_prefrence = \"tcponly\"",
        "dbcache_mb = 1",
        "[storage]",
        "datadir = \"x\"",
        "zzzzzzzzzzzzzzz = 1",
        "[storag.pruning]",
        "mode = \"manual\"",
        "[storage.prunning]",
        "mode = \"manual\""
      ].join("\n"))
      assert.deepStrictEqual(problems, [
        "node.toml:1: transport_prefrence is not a known key; did you mean transport_preference?",
        "node.toml:2: dbcache_mb is not a known key; did you mean [storage].dbcache_mb?",
        "node.toml:4: [storage].datadir is not a known key; did you mean [storage].data_dir?",
        "node.toml:5: [storage].zzzzzzzzzzzzzzz is not a known key",
        "node.toml:8: [storage].prunning is not a known key; did you mean [storage.pruning]?",
        "node.toml:6: storag is not a known key; did you mean [storage]?",
        "node.toml: transport_preference is missing. It has no default in a file: add transport_preference = \"tcponly\" above the first table"
      ])
    }))

  it.effect("says where the address of RPC is set, and that there is no [network]", () =>
    Effect.gen(function*() {
      const { problems } = yield* judged(
        `${HEAD}rpc_addr = "127.0.0.1:1"\n[rpc]\nbind = "x"\n[network]\nprotocol = "x"\n`
      )
      assert.strictEqual(problems.length, 3)
      assert.include(problems[0], "--rpc-addr or NODE_RPC_ADDR")
      assert.include(problems[1], "--rpc-addr or NODE_RPC_ADDR")
      assert.include(problems[2], "protocol_version")
    }))

  it.effect("a table where a value belongs, and a value where a table belongs", () =>
    Effect.gen(function*() {
      const { problems } = yield* judged("transport_preference = \"tcponly\"\nstorage = 1\n[max_peers]\nx = 1\n")
      assert.deepStrictEqual(problems, [
        "node.toml:2: [storage]: expected a table, found a number",
        "node.toml:3: max_peers: expected an integer from 0 to 100000, found a table"
      ])
    }))

  it.effect("modules are pinned or configured by names of their own", () =>
    Effect.gen(function*() {
      const { given, problems } = yield* judged(
        `${HEAD}[modules]\nenabled = false\nzmq = "0.1.*"\nmesh = ">=1.0.0"\nbad = "latest please"\n[modules.stratum-v2]\nport = 3333\n`
      )
      assert.deepStrictEqual(problems, [
        "node.toml:6: [modules].bad is not a known key; for a module, expected a version requirement, such as \"0.1.*\", or a table " +
        "of settings, found \"latest please\""
      ])
      assert.deepStrictEqual(
        given.filter(({ key }) => key.startsWith("modules.")).map(({ key, value }) => [key, value]),
        [["modules.enabled", false], ["modules.zmq", "0.1.*"], ["modules.mesh", ">=1.0.0"], ["modules.stratum-v2", {
          port: 3333
        }]]
      )
    }))

  it.effect("a table of a part that is not built is refused, unless it only says so", () =>
    Effect.gen(function*() {
      const file = yield* judged(`${HEAD}[fibre]\nenabled = true\n[governance]\nenabled = false\n`)
      assert.deepStrictEqual(file.problems, [])
      assert.deepStrictEqual(file.refused, [
        "node.toml:2: [fibre]: FIBRE is not in this build; leave it out"
      ])
    }))

  it.effect("the same content as JSON has the same problems, without lines", () =>
    Effect.gen(function*() {
      const content = JSON.stringify({ storage: { dbcache_mb: "450", dbcach: 1 }, transport_preference: "tcp" })
      const { problems } = yield* judged(content, "node.json")
      assert.deepStrictEqual(problems, [
        "node.json: [storage].dbcache_mb: expected an integer from 4 to 131072, found \"450\"",
        "node.json: [storage].dbcach is not a known key; did you mean [storage].dbcache_mb?",
        "node.json: transport_preference: expected \"tcponly\", \"irohonly\", \"quinnonly\", \"hybrid\" or \"all\", found \"tcp\"; did you mean \"tcponly\"?"
      ])
    }))

  it.effect("never repeats a secret, whatever is wrong with it", () =>
    Effect.gen(function*() {
      const text = `${HEAD}[rpc_auth]\ntokens = ["hunter2 hunter2"]\nadmin_tokens = "hunter2"\npassword = ["hunter2"]\n`
      const { problems } = yield* judged(text)
      assert.strictEqual(problems.length, 3)
      assert.notInclude(problems.join("\n"), "hunter2")
    }))

  it.effect("names of the language itself are ordinary unknown keys", () =>
    Effect.gen(function*() {
      const { problems } = yield* judged(`${HEAD}__proto__ = 1\nconstructor = 1\n[storage]\ntoString = 1\n`)
      assert.strictEqual(problems.length, 3)
    }))
})
