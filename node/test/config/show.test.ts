import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { parse } from "smol-toml"
import { FILE_KEYS } from "../../src/config/catalogue.ts"
import { judgeFile } from "../../src/config/file/judge-file.ts"
import { parseFile } from "../../src/config/file/parse-file.ts"
import { loadConfig } from "../../src/config/load-config.ts"
import { exampleFile } from "../../src/config/show/example.ts"
import { explainJson, explainText } from "../../src/config/show/explain.ts"
import { tomlValue } from "../../src/config/show/toml-value.ts"
import { inPlace, option, problemsOf } from "./loading.ts"

const text = fc.string({ unit: "binary" })

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.double({ noNaN: true }).filter((n) => !Object.is(n, -0)),
    tie("list"),
    tie("table")
  ),
  list: fc.array(tie("any"), { maxLength: 4 }),
  table: fc.dictionary(text.filter((name) => name !== "__proto__"), tie("any"), { maxKeys: 4, noNullPrototype: true })
}))

describe("tomlValue", () => {
  it("what is printed is read back as the same value", () => {
    const examples: Array<[unknown]> = [[[9_007_199_254_740_992]], [1e21], [-9_007_199_254_740_994]]
    const property = fc.property(value.any, (original) => {
      assert.deepEqual((parse(`x = ${tomlValue(original)}\n`) as { x: unknown }).x, original)
    })
    fc.assert(property, { examples })
  })

  it("half a character becomes the sign for it", () => {
    assert.strictEqual(parse(`x = ${tomlValue("a\uD800b")}`).x, "a\uFFFDb")
  })
})

describe("a pruned node explains itself", () => {
  const rowsOf = (table: string) =>
    inPlace((place) => {
      place.write("work/node.toml", `transport_preference = "tcponly"\n[storage.pruning]\n${table}`)
      return Effect.map(loadConfig(place.request()), (loaded) => {
        const { values } = JSON.parse(explainJson(loaded)) as {
          values: Record<string, { value: unknown; origin: string }>
        }
        const { origin, value: mode } = values["storage.pruning.mode"]!
        return { mode, origin, isPruned: loaded.config.storage.pruning._tag !== "Disabled" }
      })
    })

  it.effect.each<readonly [text: string, mode: unknown, origin: string, isPruned: boolean]>([
    ["target_mb = 10000", "normal", "file", true],
    ["target_mb = 10000\nauto_prune = false", "manual", "file", true],
    ["mode = \"normal\"\ntarget_mb = 10000", "normal", "file", true],
    ["mode = \"manual\"", "manual", "file", true],
    ["mode = \"disabled\"", "disabled", "file", false],
    ["auto_prune = true", "disabled", "default", false]
  ])("by its mode, whichever key prunes: %s", ([table, mode, origin, isPruned]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* rowsOf(table), { mode, origin, isPruned })
    }))
})

describe("a problem between keys", () => {
  it.effect("has the place in the file", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        place.write(
          "work/node.toml",
          "transport_preference = \"tcponly\"\n[storage.pruning]\ntarget_mb = 10000\n[storage.indexing]\ntxindex = true\n"
        )
        const problems = yield* problemsOf(place.request())
        assert.lengthOf(problems, 1)
        assert.match(problems[0]!, /work\/node\.toml:5: \[storage\.indexing\]\.txindex = true needs every block/)
      })
    ))
})

describe("exampleFile", () => {
  const uncommented = exampleFile().replaceAll(/^# (\w+ = .*)\n$/gm, "$1\n")

  it.effect("is a valid file that changes nothing", () =>
    Effect.gen(function*() {
      const { given, problems, refused } = judgeFile(yield* parseFile("node.toml", exampleFile()))
      assert.deepStrictEqual([problems, refused], [[], []])
      assert.deepStrictEqual(given.map(({ key }) => key), ["transport_preference"])
    }))

  it.effect("has every key, each in its table and with a value that is taken", () =>
    Effect.gen(function*() {
      const { given, problems } = judgeFile(yield* parseFile("node.toml", uncommented))
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual(given.map(({ key }) => key).sort(), FILE_KEYS.map(({ name }) => name).sort())
      for (const { facts, name } of FILE_KEYS) {
        const expected = facts.example ?? facts.fallback
        assert.deepStrictEqual(given.find(({ key }) => key === name)?.value, expected, name)
      }
    }))

  it("is what docs/operate/node.example.toml holds (`config example` prints it)", () => {
    const path = new URL("../../../docs/operate/node.example.toml", import.meta.url)
    assert.strictEqual(readFileSync(path, "utf8"), exampleFile())
  })
})

describe("explain", () => {
  const SECRETS = ["hunter2-token", "hunter2-admin", "hunter2-password", "hunter2-environment", "hunter2-module"]

  it.effect("shows every key with its origin, and no secret", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const file = place.write(
          "work/node.toml",
          [
            "transport_preference = \"tcponly\"",
            "protocol_version = \"Testnet4\"",
            "[rpc_auth]",
            "tokens = [\"hunter2-token\"]",
            "admin_tokens = [\"hunter2-admin\"]",
            "username = \"op\"",
            "password = \"hunter2-password\"",
            "[modules]",
            "enabled = false",
            "[modules.pool]",
            "key = \"hunter2-module\""
          ].join("\n")
        )
        for (const environment of [{}, { RPC_AUTH_TOKENS: "hunter2-environment" }]) {
          const loaded = yield* loadConfig(
            place.request({ environment, options: [option("verbose", "logging.level", "debug")] })
          )
          const shown = explainText(loaded)
          const json = explainJson(loaded)
          for (const secret of SECRETS) assert.notInclude(`${shown}${json}`, secret)
          const { values } = JSON.parse(json) as { values: Record<string, unknown> }
          for (const { name, shown: written } of FILE_KEYS) {
            assert.property(values, name)
            assert.include(shown, written)
          }
          assert.deepStrictEqual(values["logging.level"], {
            value: "debug",
            origin: "command line",
            source: "--verbose"
          })
          assert.deepStrictEqual(values.network, { value: "testnet4", origin: "file", source: `${file}:2` })
          assert.deepStrictEqual(values.rpc_addr, { value: "127.0.0.1:48332", origin: "default", source: "default" })
        }
      })
    ))
})
