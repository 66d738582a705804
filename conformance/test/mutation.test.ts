import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import type { Mutant, Site } from "../src/mutation/mutant.ts"
import { type Mode, rewrite } from "../src/mutation/rewrite.ts"
import { Hang, installRuntime } from "../src/mutation/runtime.ts"
import { sitesOf } from "../src/mutation/sites.ts"
import { parseSource } from "../src/trace/syntax.ts"

const sitesIn = (text: string): ReadonlyArray<Site> => sitesOf(parseSource("kernel/src/f.ts", text), 1)
const mutantsIn = (text: string): ReadonlyArray<Mutant> => sitesIn(text).flatMap(({ mutants }) => mutants)
const shown = ({ original, mutated }: Mutant): string => `${original} → ${mutated}`
/** What is tried in place of `expression`, less what is tried in place of the whole function. */
const triedFor = (expression: string): ReadonlyArray<string> =>
  mutantsIn(`const f = (a, b, c) => ${expression}`).map(shown)

describe("mutants", () => {
  it.each<readonly [string, ReadonlyArray<string>]>([
    ["a < b", ["a < b → a <= b", "a < b → a >= b"]],
    ["a <= b", ["a <= b → a < b", "a <= b → a > b"]],
    ["a > b", ["a > b → a >= b", "a > b → a <= b"]],
    ["a >= b", ["a >= b → a > b", "a >= b → a < b"]],
    ["a === b", ["a === b → a !== b"]],
    ["a !== b", ["a !== b → a === b"]],
    ["a + b", ["a + b → a - b"]],
    ["a - b", ["a - b → a + b"]],
    ["a * b", ["a * b → a / b"]],
    ["a / b", ["a / b → a * b"]],
    ["a % b", ["a % b → a * b"]],
    ["a & b", ["a & b → a | b"]],
    ["a | b", ["a | b → a & b"]],
    ["a ^ b", ["a ^ b → a & b"]],
    ["a << b", ["a << b → a >>> b"]],
    ["a >> b", ["a >> b → a << b"]],
    ["a >>> b", ["a >>> b → a << b"]],
    ["a > 5", ["a > 5 → a >= 5", "a > 5 → a <= 5", "a > 5 → a > 6", "a > 5 → a > 4"]],
    ["7", ["7 → 8", "7 → 6"]],
    ["0x7f", ["0x7f → 0x80", "0x7f → 0x7e"]],
    ["0", ["0 → 1", "0 → -1"]],
    ["10n", ["10n → 11n", "10n → 9n"]],
    ["true", ["true → false"]],
    ["!a", ["!a → a"]],
    ["-a", ["-a → a"]],
    ["~a", ["~a → a"]],
    ["a && b", ["a && b → a || b", "a && b → a", "a && b → b"]],
    ["a || b", ["a || b → a && b", "a || b → a", "a || b → b"]],
    ["a ?? b", ["a ?? b → a", "a ?? b → b"]],
    ["a ? b : c", ["a → true", "a → false"]],
    ["a++", ["a++ → a--"]],
    ["--a", ["--a → ++a"]],
    ["(a += b)", ["a += b → a -= b"]],
    ["(a |= b)", ["a |= b → a &= b"]],
    ["Math.min(a, b)", ["Math.min(a, b) → Math.max(a, b)"]],
    ["Math.floor(a)", ["Math.floor(a) → Math.ceil(a)"]],
    ["fault(\"SCR-002\", ScriptError.VERIFY)", [
      "\"SCR-002\" → \"SCR-013\"",
      "ScriptError.VERIFY → ScriptError.UNKNOWN_ERROR"
    ]],
    ["hash(\"TapLeaf\")", ["\"TapLeaf\" → \"\""]],
    ["a.b.c(a!, b as number)", []],
    ["({ a, b: c })", []]
  ])("of %s", (expression, tried) => {
    assert.deepEqual(triedFor(expression), tried)
  })

  it.each<readonly [string, string, ReadonlyArray<string>]>([
    ["Fault", "g(a)", ["g(a) → 0"]],
    ["Fault", "NO_FAULT", []],
    ["Verdict<void>", "g(a)", ["g(a) → $HOLDS"]],
    ["Verdict<void>", "HOLDS", []],
    ["boolean", "g(a)", ["g(a) → true", "g(a) → false"]],
    ["number", "g(a)", ["g(a) → 0"]],
    ["bigint", "g(a)", ["g(a) → 0n"]],
    ["Uint8Array", "g(a)", ["g(a) → new Uint8Array(0)"]],
    ["Uint8Array | undefined", "g(a)", ["g(a) → undefined"]]
  ])("of a function that answers %s: %s", (type, answer, tried) => {
    assert.deepEqual(mutantsIn(`const f = (a: number): ${type} => ${answer}`).map(shown), tried)
    assert.deepEqual(mutantsIn(`const f = (a: number): ${type} => {\n  return ${answer}\n}`).map(shown), tried)
  })

  it("delete statements and skip loops, but never make a loop endless", () => {
    assert.deepEqual(mutantsIn("const f = (a) => {\n  while (a) g(a)\n}").map(shown), ["a → false", "g(a) → (deleted)"])
  })

  it("leave types, names, imports and what is assigned to alone", () => {
    assert.deepEqual(
      mutantsIn(
        "import { x } from \"./x.ts\"\nexport type T = 1 | \"a\"\nconst f = (a: T, i: 3): void => {\n  a.b = i as 3\n}"
      ).map(shown),
      [
        "a.b = i as 3 → (deleted)"
      ]
    )
  })

  it("distinguish alike mutants of one declaration", () => {
    const alike = mutantsIn("const f = (a) => [a + 1, a + 1]").filter(({ mutated }) => mutated === "a - 1")
    assert.deepEqual(alike.map(({ within, occurrence }) => [within, occurrence]), [["f", 1], ["f", 2]])
  })

  it("have consecutive numbers and the line they are on", () => {
    const mutants = sitesOf(parseSource("f.ts", "const f = (a, b) =>\n  a <\n  b + 1"), 10).flatMap((site) =>
      site.mutants
    )
    assert.deepEqual(mutants.map(({ id, line }) => [id, line]), [[10, 2], [11, 2], [12, 3], [13, 3], [14, 3]])
  })
})

const directory = mkdtempSync(join(tmpdir(), "mutation-"))
afterAll(() => rmSync(directory, { recursive: true }))
let modules = 0

/** Loads `text` rewritten, with the runtime it talks to. */
const load = async (text: string, mode: Mode) => {
  const source = parseSource("kernel/src/f.ts", text)
  const sites = sitesOf(source, 1)
  const mutants = sites.flatMap((site) => site.mutants)
  const runtime = installRuntime(mutants.length)
  const path = join(directory, `${modules++}.mjs`)
  writeFileSync(path, stripTypeScriptTypes(rewrite(source, sites, mode)))
  const exports = await import(pathToFileURL(path).href) as Readonly<Record<string, unknown>> & {
    readonly f: (...args: ReadonlyArray<unknown>) => unknown
  }
  const id = (change: string): number => mutants.find((mutant) => shown(mutant) === change)!.id
  return { runtime, exports, mutants, id }
}

const SUM = `const STEP = 2
const TABLE: Array<number> = []
for (let i = 0; i < 3; i++) TABLE[i] = i * STEP
export const LAST = TABLE[2]!
export const f = (n: number, log: Array<number>): number => {
  let sum = 0
  for (let i = 0; i < n; i++) {
    if (i % 2 === 1 && n > 4) continue
    log.push(i)
    sum += i
  }
  return sum + LAST
}
`

describe("a rewritten module", () => {
  it.each<Mode>(["survey", "trial"])("is the original while no mutant is on (%s)", async (mode) => {
    const { exports } = await load(SUM, mode)
    const log: Array<number> = []
    assert.strictEqual(exports.f(6, log), 10)
    assert.deepEqual(log, [0, 2, 4])
    assert.strictEqual(exports["LAST"], 4)
  })

  it("is the mutant that is on, and the original again afterwards", async () => {
    const { runtime, exports, id } = await load(SUM, "trial")
    runtime.activate(id("sum += i → sum -= i"))
    assert.strictEqual(exports.f(6, []), -2)
    runtime.activate(id("n > 4 → n > 5"))
    assert.strictEqual(exports.f(5, []), 14)
    runtime.activate(id("log.push(i) → (deleted)"))
    const log: Array<number> = []
    assert.strictEqual(exports.f(6, log), 10)
    assert.deepEqual(log, [])
    runtime.activate(0)
    assert.strictEqual(exports.f(6, []), 10)
  })

  it("computes what it computes at load anew for a mutant that shows there", async () => {
    const { runtime, exports, id } = await load(SUM, "trial")
    runtime.activate(id("2 → 3"))
    assert.strictEqual(exports["LAST"], 6)
    assert.strictEqual(exports.f(6, []), 12)
    runtime.activate(id("i * STEP → i / STEP"))
    assert.strictEqual(exports["LAST"], 1)
    runtime.activate(0)
    assert.strictEqual(exports["LAST"], 4)
  })

  it("every mutant of it is shown by some call", async () => {
    const { runtime, exports, mutants } = await load(SUM, "trial")
    const answers = () => {
      runtime.allow(1000)
      try {
        return JSON.stringify([0, 1, 2, 4, 5, 6].map((n) => {
          const log: Array<number> = []
          return [exports.f(n, log), log]
        }))
      } catch (error) {
        return String(error)
      }
    }
    const original = answers()
    const survivors = mutants.filter(({ id }) => {
      runtime.allow(1000)
      try {
        runtime.activate(id)
      } catch {
        return false
      }
      return answers() === original
    })
    // Only the last entry of the table is used, so filling it may begin late, or early, and end late.
    assert.deepEqual(survivors.map(shown), ["0 → 1", "0 → -1", "i < 3 → i <= 3", "i < 3 → i < 4"])
  })

  it("ends a mutant that loops on and on", async () => {
    const { runtime, exports, id } = await load(SUM, "trial")
    runtime.activate(id("i < n → i >= n"))
    runtime.allow(1000)
    assert.throws(() => exports.f(0, []), Hang)
    runtime.activate(0)
    runtime.allow(1000)
    exports.f(6, [])
    assert.strictEqual(runtime.spent(), 6)
  })
})

describe("a survey", () => {
  const seenFor = async (text: string, call: (f: (...args: ReadonlyArray<unknown>) => unknown) => unknown) => {
    const { runtime, exports, mutants } = await load(text, "survey")
    runtime.takeSeen()
    runtime.takeReached()
    call(exports.f)
    const reached = runtime.takeReached()
    const seen = new Set(runtime.takeSeen())
    return { reached: reached.length, of: mutants.length, seen: mutants.filter(({ id }) => seen.has(id)).map(shown) }
  }

  it("names the mutants that would have had another value", async () => {
    const text = "export const f = (n: number): boolean => n > 5\n"
    assert.deepEqual((await seenFor(text, (f) => f(9))).seen, ["n > 5 → n <= 5", "n > 5 → false"])
    assert.deepEqual((await seenFor(text, (f) => f(5))).seen, [
      "n > 5 → n >= 5",
      "n > 5 → n <= 5",
      "n > 5 → n > 4",
      "n > 5 → true"
    ])
  })

  it("counts every mutant in place of something with effects", async () => {
    const { seen } = await seenFor(
      "const g = (log) => log.push(1) * 0\nexport const f = (log): number => g(log)\n",
      (f) => f([])
    )
    assert.include(seen, "g(log) → 0")
  })

  it("distinguishes what was run without a difference from what was not run", async () => {
    const text = "export const f = (n: number) => {\n  if (n > 5) return n > 7\n  return n === 0\n}\n"
    const { reached, of, seen } = await seenFor(text, (f) => f(3))
    assert.isBelow(reached, of)
    assert.notInclude(seen, "n === 0 → n === 1")
    assert.include(seen, "n === 0 → n !== 0")
  })

  it("takes an exception of the mutant for a difference", async () => {
    const { seen } = await seenFor(
      "export const f = (a?: Uint8Array): boolean => a !== undefined && a.length === 0\n",
      (f) => f(undefined)
    )
    assert.include(seen, "a !== undefined && a.length === 0 → a.length === 0")
  })
})
