import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import fc from "fast-check"
import { FILE_KEYS, FILE_TABLES } from "../../src/config/catalogue.ts"
import { judgeFile } from "../../src/config/file/judge-file.ts"
import { parseFile } from "../../src/config/file/parse-file.ts"
import { effectiveOf } from "../../src/config/given/effective.ts"
import { refusals } from "../../src/config/not-built.ts"
import { resolveConfig } from "../../src/config/resolve/resolve-config.ts"
import { tomlValue } from "../../src/config/show/toml-value.ts"

const machine = { home: "/home/u", directory: "/work", processors: 2 }

/** All that happens to a file between its text and the configuration. */
const take = (path: string, text: string) =>
  Effect.map(parseFile(path, text), (parsed) => {
    const reading = judgeFile(parsed)
    const effective = effectiveOf(reading.given)
    const refused = refusals(effective)
    const resolved = resolveConfig(effective, { machine, file: path, tokens: undefined, isCoreDirectory: () => false })
    return { reading, refused, resolved }
  })

const outcomeOf = async (path: string, text: string) => {
  const exit = await Effect.runPromiseExit(take(path, text))
  // A defect is an exception of ours: no file may cause one.
  assert.isFalse(Exit.hasDies(exit), text)
  return exit
}

const names = fc.constantFrom(...FILE_TABLES.keys(), ...FILE_KEYS.map(({ name }) => name)).map((name) =>
  name.split(".")
)

const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.double(),
  fc.constantFrom("info", "127.0.0.1:1", "none", "0.1.*")
)
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.string({ minLength: 1 }), scalar, { maxKeys: 3 })
)

describe("any file", () => {
  it("of any text ends in a configuration or in problems", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: "binary" }), fc.json()),
        fc.constantFrom("a.toml", "a.json", "a"),
        async (text, path) => {
          await outcomeOf(path, text)
        }
      )
    ))

  it("of known keys with any values ends in a configuration or in problems", () =>
    fc.assert(fc.asyncProperty(fc.array(fc.tuple(names, value), { maxLength: 8 }), async (entries) => {
      const content: Record<string, unknown> = {}
      for (const [path, given] of entries) {
        let at = content
        for (const part of path.slice(0, -1)) {
          const inner = at[part]
          at = (typeof inner === "object" && inner !== null ? inner : at[part] = {}) as Record<string, unknown>
        }
        at[path.at(-1)!] = given
      }
      await outcomeOf("a.json", JSON.stringify(content))
    })))

  it("of one key with the value that its own text stands for is the same as the value", () =>
    fc.assert(fc.asyncProperty(fc.constantFrom(...FILE_KEYS), async ({ facts, name }) => {
      const shown = facts.example ?? facts.fallback
      if (typeof shown === "object" || name === "transport_preference") return
      const own = name.slice(name.lastIndexOf(".") + 1)
      const table = name.includes(".") ? `[${name.slice(0, name.lastIndexOf("."))}]\n` : ""
      const exit = await outcomeOf(
        "a.toml",
        `transport_preference = "tcponly"\n${table}${own} = ${tomlValue(facts.fromText(String(shown)))}\n`
      )
      assert.isTrue(Exit.isSuccess(exit) && exit.value.reading.problems.length === 0, name)
    })))
})
