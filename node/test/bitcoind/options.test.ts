import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { optionsPage } from "../../src/bitcoind/docs/options-page.ts"
import type { CoreOption } from "../../src/bitcoind/options/core-option.ts"
import { OPTIONS } from "../../src/bitcoind/options/option-table.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

/** Options that act before there is a plan. */
const BEFORE = new Set([
  "allowignoredconf",
  "chain",
  "conf",
  "datadir",
  "h",
  "?",
  "help",
  "help-debug",
  "includeconf",
  "regtest",
  "settings",
  "signet",
  "testnet",
  "testnet4",
  "version"
])

/** All that a start does for these words, as a text. */
const outcome = (words: ReadonlyArray<string>): string => {
  const chain = words.some((word) => word === "-signet") ? [] : ["-regtest"]
  const plan = home.plan(...chain, ...words)
  const { log, ...rest } = Result.isSuccess(plan) ? plan.success : plan.failure
  const shown = { ...rest, log: { ...log, categories: [...log.categories], levels: [...log.levels] } }
  return JSON.stringify(
    shown,
    (_, value: unknown) => value instanceof Set ? [...value] : typeof value === "bigint" ? String(value) : value
  )
}

const without = ({ name }: CoreOption, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word) => !word.startsWith(`-${name}`) && !word.startsWith(`-no${name}`))

describe("the table of options", () => {
  it("has each name once", () => {
    const names = OPTIONS.map(({ name }) => name)
    assert.deepStrictEqual(names.filter((name, at) => names.indexOf(name) !== at), [])
  })

  it("has no option that is taken and does nothing in silence", () => {
    for (const option of OPTIONS) {
      if (BEFORE.has(option.name)) continue
      const { example } = option
      assert.notStrictEqual(outcome(example), outcome(without(option, example)), `-${option.name}`)
    }
  })

  it("says in the log what an accepted option does not do", () => {
    for (const { example, name, note, state } of OPTIONS) {
      if (state === "implemented") continue
      const plan = home.plan("-regtest", ...example)
      const said = Result.isSuccess(plan)
        ? [...plan.success.notices, ...plan.success.warnings]
        : plan.failure.problems
      assert.isTrue(said.some((line) => line.includes(note!)), `-${name}: ${said.join("; ")}`)
    }
  })

  it("needs nothing said about values that hold anyway", () => {
    for (const { inert = [], list = false, name, state } of OPTIONS) {
      if (state === "implemented") continue
      for (const value of inert) {
        const plan = home.plan("-regtest", `-${name}=${value}`)
        assert.isTrue(Result.isSuccess(plan), `-${name}=${value}`)
        if (Result.isSuccess(plan)) assert.deepStrictEqual(plan.success.notices, [], `-${name}=${value}`)
      }
      if (!list) assert.notInclude(inert, "unset")
    }
  })

  it("is what the documentation shows", () => {
    const page = readFileSync(new URL("../../../docs/operate/bitcoind-options.md", import.meta.url), "utf8")
    assert.strictEqual(page, optionsPage(OPTIONS))
  })
})
