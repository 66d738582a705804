import { assert, describe, it } from "vitest"
import { drawFaults } from "../src/mutation/areas/draw-faults.ts"
import { type Fault, faultsOf, planted } from "../src/mutation/areas/fault.ts"
import type { Kind } from "../src/mutation/areas/forgotten.ts"

const FILE = "node/src/p2p/f.ts"

/** The text with each fault of a kind planted, one by one. */
const plantedAs = (kind: Kind, text: string): ReadonlyArray<string> =>
  faultsOf(FILE, text, 1).filter((fault) => fault.kind === kind).map((fault) => planted(text, fault))

describe("faults of what people forget", () => {
  it.each<readonly [string, Kind, string, ReadonlyArray<string>]>([
    ["a timer that is cleared", "clean-up", "const f = (a) => { clearTimeout(a) }", ["const f = (a) => { {} }"]],
    ["a timer that a closing function clears", "clean-up", "const f = (a) => () => clearTimeout(a)", [
      "const f = (a) => () => (undefined)"
    ]],
    ["a listener that is taken away", "clean-up", "const f = (s) => { s.off(\"end\", g) }", [
      "const f = (s) => { {} }"
    ]],
    ["an entry that is forgotten in an effect", "clean-up", "const f = Effect.sync(() => waiting.delete(a))", [
      "const f = Effect.sync(() => (undefined))"
    ]],
    ["a finalizer", "clean-up", "const f = function*() { yield* Effect.addFinalizer(() => end) }", [
      "const f = function*() { {} }"
    ]],
    ["a step of a pipe that cleans up", "clean-up", "const f = a.pipe(g, Effect.ensuring(h))", [
      "const f = a.pipe(g, ((same) => same))"
    ]],
    ["what gives back what was acquired", "clean-up", "const f = Effect.acquireRelease(a, b)", [
      "const f = Effect.acquireRelease(a, (() => Effect.void))"
    ]],
    ["a finally block", "clean-up", "const f = () => { try { a() } finally { b() } }", [
      "const f = () => { try { a() } finally {} }"
    ]],
    ["a counter that is lowered", "counter", "const f = () => { n-- }", [
      "const f = () => { {} }",
      "const f = () => { (n); }"
    ]],
    ["a counter that a function lowers", "counter", "const f = () => (held -= size)", ["const f = () => ((held))"]],
    ["a counter in a reference", "counter", "const f = Ref.update(count, (n) => n - 1)", [
      "const f = Ref.update(count, (n) => (n))"
    ]],
    ["an error that is thrown", "error", "const f = () => { throw a }", ["const f = () => { {} }"]],
    ["an error that is handled", "error", "const f = () => { try { a() } catch (e) { b(e) } }", [
      "const f = () => { { a() } }",
      "const f = () => { try { a() } catch (e) {} }"
    ]],
    ["a step of a pipe that survives a failure", "error", "const f = a.pipe(Effect.ignore, Effect.catch(g), h)", [
      "const f = a.pipe(((same) => same), Effect.catch(g), h)",
      "const f = a.pipe(Effect.ignore, ((same) => same), h)"
    ]],
    ["a promise whose end is waited for", "wait", "const f = async () => { const a = await b() }", [
      "const f = async () => { const a = (b()) }"
    ]],
    ["the order of arguments", "argument", "const f = () => g(a, b.c, 5)", ["const f = () => (g(b.c, a, 5))"]],
    ["the unit of a duration", "unit", "const f = Effect.sleep(\"30 seconds\")", [
      "const f = Effect.sleep((\"30 minutes\"))"
    ]],
    ["the unit of a computed duration", "unit", "const f = (a) => Duration.seconds(a)", [
      "const f = (a) => (Duration.minutes(a))"
    ]],
    ["the unit of a number", "unit", "const f = () => g(30_000, a * 1_000)", [
      "const f = () => g((30), a * 1_000)",
      "const f = () => g(30_000, (a))"
    ]]
  ])("are planted in %s", (_, kind, text, expected) => {
    const found = plantedAs(kind, text).map((each) => each.replace("(n) }", "(n); }"))
    assert.deepStrictEqual([...found].sort(), [...expected].sort())
  })

  it("are not planted where they would be none", () => {
    for (
      const text of [
        "const f = () => { for (let i = 0; i < n; i++) {} }",
        "const f = () => g(a, a)",
        "const f = () => Math.min(a, b.c)",
        "const f = () => bytesEqual(a, b.c)",
        "const f = () => g(a, () => b)",
        "const f = a.pipe(Effect.map(g))",
        "const f = Effect.sleep(\"as long as it takes\")"
      ]
    ) {
      const found = faultsOf(FILE, text, 1).filter(({ kind }) => kind !== "value")
      assert.deepStrictEqual(found.map(({ mutated }) => mutated), [], text)
    }
  })
})

describe("a drawn sample", () => {
  const kinds: ReadonlyArray<Kind> = [...Array<Kind>(900).fill("value"), ...Array<Kind>(60).fill("argument"), "error"]
  const faults = kinds.map((kind, i): Fault => ({
    id: i + 1,
    file: FILE,
    line: 1,
    within: "f",
    original: "a",
    mutated: String(i),
    occurrence: 1,
    span: { start: 0, end: 1 },
    kind,
    beginsStatement: false
  }))
  const count = (drawn: ReadonlyArray<Fault>, kind: Kind): number => drawn.filter((fault) => fault.kind === kind).length

  it("has what is forgotten and what is confused more often than it comes in the text", () => {
    const drawn = drawFaults(faults, 40, 7)
    assert.deepStrictEqual(
      [drawn.length, count(drawn, "error"), count(drawn, "argument"), count(drawn, "value")],
      [40, 1, 13, 26]
    )
  })

  it("has every fault once when all are asked for, and begins a larger one of the same seed", () => {
    assert.strictEqual(new Set(drawFaults(faults, 5_000, 7)).size, faults.length)
    assert.deepStrictEqual(drawFaults(faults, 40, 7).slice(0, 12), drawFaults(faults, 12, 7))
  })
})
