import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import type { AreaFate } from "../src/mutation/areas/area-trial.ts"
import { areaDocument, areaScore, areaScoreLine, type AreaResults } from "../src/mutation/areas/area-report.ts"
import { openBaselineRecord } from "../src/mutation/areas/baseline-record.ts"
import { allPlanted, type Fault, faultsOf, planted } from "../src/mutation/areas/fault.ts"
import { distancesTo, importedFile, importsOf } from "../src/mutation/areas/import-graph.ts"
import { nearestTests } from "../src/mutation/areas/nearest-tests.ts"
import { openRunRecord } from "../src/mutation/areas/run-record.ts"
import { sampleOf } from "../src/mutation/areas/sample.ts"

const shown = (text: string): ReadonlyArray<string> =>
  faultsOf("node/src/p2p/f.ts", text, 1).map(({ mutated, original }) => `${original} → ${mutated}`)

describe("faults of an area", () => {
  it("are planted in the text of their file, whose lines keep their numbers", () => {
    const text =
      "const f = (a: number, b: number): boolean =>\n  a <\n    b &&\n  g(a)\nconst h = (n: number) => n + 1\n"
    for (const fault of faultsOf("f.ts", text, 1)) {
      const changed = planted(text, fault)
      assert.notStrictEqual(changed, text)
      assert.strictEqual(changed.split("\n").length, text.split("\n").length)
      assert.strictEqual(
        changed.split("\n")[4],
        fault.line === 5 ? `const h = (n: number) => (${fault.mutated})` : text.split("\n")[4]
      )
    }
  })

  it("are planted several at once in a file, whatever their order and length", () => {
    const text = "const f = (a: number) => a + 100\nconst g = () => {\n  h(1,\n    2)\n}\nconst k = b || c\n"
    const of = (mutated: string): Fault => faultsOf("f.ts", text, 1).find((fault) => fault.mutated === mutated)!
    assert.strictEqual(
      allPlanted(text, [of("b && c"), of("a - 100"), of("(deleted)")]),
      "const f = (a: number) => (a - 100)\nconst g = () => {\n  {}\n\n}\nconst k = (b && c)\n"
    )
  })

  it("put an empty statement in place of a deleted one", () => {
    const text = "const f = (a: boolean) => {\n  if (a) g(a)\n}\n"
    const deletion = faultsOf("f.ts", text, 1).find(({ mutated }) => mutated === "(deleted)")!
    assert.strictEqual(planted(text, deletion), "const f = (a: boolean) => {\n  if (a) {}\n}\n")
  })

  it.each([
    ["lines of the log", "const f = function*() {\n  yield* Effect.logDebug(\"a\", 1)\n}"],
    [
      "lines that a part of the node hands on",
      "const f = (a) => {\n  sync.context.notify.log(\"info\", a, 7)\n  log(\"kind\", a)\n}"
    ],
    ["names of spans", "const f = Effect.fn(\"Peers.connect\")(g)"],
    ["keys of services", "class A extends Context.Service<A, B>()(\"@node/A\") {}"],
    ["prose", "const f = (a: string) => g(a, \"cannot read it\")"],
    ["descriptions of limits", "const LIMITS = { a: { unit: \"bytes\", source: \"Core\" } }"],
    ["steps of counting loops", "const f = (a: string) => {\n  for (const i of a) for (; i; i++) {}\n}"]
  ])("are none in %s", (_, text) => {
    assert.deepStrictEqual(shown(text).filter((each) => !each.endsWith("→ false")), [])
  })

  it("are in what stands beside those", () => {
    assert.include(shown("const LIMITS = { a: { most: 8, unit: \"bytes\" } }"), "8 → 9")
    assert.include(shown("const f = (a: string) => a === \"inbound\""), "\"inbound\" → \"\"")
  })

  it("have consecutive numbers", () => {
    assert.deepStrictEqual(faultsOf("f.ts", "const f = (a) => a < b", 7).map(({ id }) => id), [7, 8])
  })
})

describe("a sample", () => {
  const items = Array.from({ length: 1_000 }, (_, i) => i)
  const sample = (count: number, seed: number, of: ReadonlyArray<number> = items) => sampleOf(of, count, seed, String)

  it("is the same for a seed, another for another, and begins a larger one", () => {
    assert.deepStrictEqual(sample(20, 5), sample(20, 5))
    assert.notDeepEqual(sample(20, 5), sample(20, 6))
    assert.deepStrictEqual(sample(50, 5).slice(0, 20), sample(20, 5))
  })

  it("keeps its order when an item comes or goes", () => {
    const [first, ...others] = sample(30, 5)
    assert.deepStrictEqual(sample(29, 5, items.filter((item) => item !== first)), others)
  })

  it("has nothing twice, and all when that much is asked for", () => {
    assert.strictEqual(new Set(sample(400, 9)).size, 400)
    assert.deepStrictEqual(sample(5_000, 9).toSorted((a, b) => a - b), items)
  })

  it("takes every part of the items about as often", () => {
    const counts = [0, 0, 0, 0]
    for (let seed = 1; seed <= 200; seed++) for (const item of sample(10, seed)) counts[Math.floor(item / 250)]!++
    for (const count of counts) assert.isTrue(count > 400 && count < 600, counts.join())
  })
})

describe("the nearest tests", () => {
  const IMPORTERS = new Map([
    ["node/src/p2p/sync/a.ts", new Set(["node/src/p2p/sync/b.ts", "node/test/p2p/sync/z.test.ts"])],
    [
      "node/src/p2p/sync/b.ts",
      new Set(["node/src/p2p/c.ts", "node/test/p2p/sync/b.test.ts", "node/src/p2p/sync/a.ts"])
    ],
    ["node/src/p2p/c.ts", new Set(["node/test/p2p/whole.test.ts", "node/test/rpc/far.test.ts"])]
  ])
  const TESTS = [
    "node/test/p2p/sync/b.test.ts",
    "node/test/p2p/sync/z.test.ts",
    "node/test/p2p/whole.test.ts",
    "node/test/rpc/far.test.ts",
    "node/test/rpc/other.test.ts"
  ]

  it("are found through imports, however many circles these have", () => {
    const distances = distancesTo(IMPORTERS, "node/src/p2p/sync/a.ts")
    assert.deepStrictEqual([...distances.values()].toSorted(), [0, 1, 1, 2, 2, 3, 3])
  })

  it("come by imports, folder and name; what does not reach the source is left out", () => {
    assert.deepStrictEqual(
      nearestTests(IMPORTERS, "node/src/p2p/sync/a.ts", TESTS, () => 0),
      TESTS.slice(0, 4).toSorted((a, b) =>
        ["z", "b", "whole", "far"].findIndex((name) => a.endsWith(`${name}.test.ts`)) -
        ["z", "b", "whole", "far"].findIndex((name) => b.endsWith(`${name}.test.ts`))
      )
    )
    assert.strictEqual(
      nearestTests(IMPORTERS, "node/src/p2p/sync/b.ts", TESTS, () => 0)[0],
      "node/test/p2p/sync/b.test.ts"
    )
  })

  it("that take long come behind those that are as near", () => {
    const slow = (test: string): number => test.endsWith("z.test.ts") ? 64_000 : 100
    assert.deepStrictEqual(nearestTests(IMPORTERS, "node/src/p2p/sync/a.ts", TESTS, slow).slice(0, 2), [
      "node/test/p2p/sync/b.test.ts",
      "node/test/p2p/whole.test.ts"
    ])
  })

  it("follow what runs, and not types", () => {
    const text =
      "import type { A } from \"./a.ts\"\nimport { type B } from \"./b.ts\"\nimport { c, type C } from \"./c.ts\"\nexport * from \"@lockstep/kernel/d.ts\"\nimport \"./e.ts\"\nimport x from \"effect\"\nexport type * from \"./g.ts\"\nexport { type H } from \"./h.ts\"\nexport { type I, i } from \"./i.ts\"\nexport const j = 1\n"
    assert.deepStrictEqual(importsOf("node/src/p2p/f.ts", text), [
      "node/src/p2p/c.ts",
      "node/src/p2p/e.ts",
      "kernel/src/d.ts",
      "node/src/p2p/i.ts"
    ])
    assert.strictEqual(importedFile("node/test/p2p/x.test.ts", "../../src/p2p/f.ts"), "node/src/p2p/f.ts")
    assert.strictEqual(importedFile("node/src/f.ts", "@lockstep/protocol"), "protocol/src/index.ts")
    const exports = { modules: { "./build": "./build/build-module.ts", "./one/*": "./one/src/*" } }
    const named = (path: string) => importedFile("node/src/f.ts", `@lockstep/modules/${path}`, exports)
    assert.deepStrictEqual(["build", "one/a.ts", "two"].map(named), [
      "modules/build/build-module.ts",
      "modules/one/src/a.ts",
      undefined
    ])
    assert.isUndefined(importedFile("node/src/f.ts", "node:fs"))
  })

  it("follow what is imported when it is needed, what a table names, and the launchers", () => {
    const text =
      "const a = () => import(\"./later.ts\")\nconst TABLE = {\n  engine: \"./engine/worker.ts\",\n  other: \"./x.js\"\n}\nconst run = new URL(\"../../bin/bitcoind\", import.meta.url)\n"
    assert.deepStrictEqual(importsOf("node/src/f.ts", text), [
      "node/src/later.ts",
      "node/src/engine/worker.ts",
      "node/src/bitcoind/main.ts"
    ])
  })

  it("that mention the source by its name come before others that reach it by the same table", () => {
    const tests = ["node/test/rpc/a.test.ts", "node/test/rpc/b.test.ts", "node/test/rpc/c.test.ts"]
    const importers = new Map([["node/src/methods/createmultisig.ts", new Set(tests)]])
    const texts: Readonly<Record<string, string>> = {
      [tests[0]!]: "uncreatemultisig",
      [tests[2]!]: "ask(\"createmultisig\", 1)"
    }
    const nearest = nearestTests(
      importers,
      "node/src/methods/createmultisig.ts",
      tests,
      () => 0,
      (test) => texts[test] ?? ""
    )
    assert.deepStrictEqual(nearest, [tests[2]!, tests[0]!, tests[1]!])
  })

  it("with the name of the source's folder come before others", () => {
    const tests = ["modules/test/mining.test.ts", "modules/test/webhooks.test.ts"]
    const importers = new Map([["modules/webhooks/src/a.ts", new Set(tests)]])
    assert.deepStrictEqual(nearestTests(importers, "modules/webhooks/src/a.ts", tests, () => 0), tests.toReversed())
  })

  it("follow what is started in a thread or a process of its own", () => {
    const text =
      "new Worker(new URL(\"worker.ts\", import.meta.url), {})\nconst program = join(import.meta.dirname, \"../b/program.ts\")\nconst other = new URL(\n  \"./child.ts\",\n  import.meta.url\n)\n"
    assert.deepStrictEqual(importsOf("node/src/a/f.ts", text), [
      "node/src/a/worker.ts",
      "node/src/b/program.ts",
      "node/src/a/child.ts"
    ])
  })
})

const [FAULT] = faultsOf("node/src/p2p/f.ts", "const f = (a) => a < b", 1)

describe("the record of a run", () => {
  let root = ""
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "mutation-"))
    write("node/src/p2p/f.ts", "source")
    write("t.test.ts", "test")
  })
  afterEach(() => rmSync(root, { recursive: true }))
  const open = (seed = 1) =>
    openRunRecord(root, { area: "p2p", seed }, { sources: ["node/src/p2p/f.ts"], tests: ["t.test.ts"] })

  it.each<AreaFate>([{ kind: "killed", by: "x" }, { kind: "timeout", by: "x" }, { kind: "refused", by: "x" }])(
    "keeps what was $kind until its source changes",
    (fate) => {
      open().recordFate(FAULT!, fate)
      assert.deepStrictEqual(open().fateOf(FAULT!), fate)
      assert.isUndefined(open(2).fateOf(FAULT!))
      write("t.test.ts", "another test")
      assert.deepStrictEqual(open().fateOf(FAULT!), fate)
      write("node/src/p2p/f.ts", "another source")
      assert.isUndefined(open().fateOf(FAULT!))
    }
  )

  it("tries again what survived when a test has changed", () => {
    const fate: AreaFate = { kind: "survived", tests: 1, of: 1 }
    open().recordFate(FAULT!, fate)
    assert.deepStrictEqual(open().fateOf(FAULT!), fate)
    write("t.test.ts", "another test")
    assert.isUndefined(open().fateOf(FAULT!))
    open().recordFate(FAULT!, { kind: "killed", by: "y" })
    assert.strictEqual(open().fateOf(FAULT!)!.kind, "killed")
  })

  it("of what tests are like without a fault holds while they and all others are the same", () => {
    write("other.ts", "x")
    const baseline = { milliseconds: 70, failure: undefined }
    openBaselineRecord(root, ["other.ts"]).learned("t.test.ts", baseline)
    assert.deepStrictEqual(openBaselineRecord(root, ["other.ts"]).of("t.test.ts"), { milliseconds: 70 } as never)
    assert.isUndefined(openBaselineRecord(root, ["other.ts"], "other vectors").of("t.test.ts"))
    write("other.ts", "y")
    const changed = openBaselineRecord(root, ["other.ts"])
    assert.isUndefined(changed.of("t.test.ts"))
    assert.strictEqual(changed.estimate("t.test.ts"), 70)
  })
})

describe("the report on a run", () => {
  const sample = faultsOf("node/src/p2p/f.ts", "const f = (a) => a < 5 || a > 7", 1)
  const fate = (
    fault: Fault,
    i: number
  ): readonly [number, AreaFate] => [
    fault.id,
    (["killed", "timeout", "refused"] as const)[i] === undefined
      ? { kind: "survived", tests: 3, of: 9 } :
      { kind: (["killed", "timeout", "refused"] as const)[i]!, by: "x" }
  ]
  const results: AreaResults = {
    area: "p2p",
    seed: 5,
    population: 100,
    sample,
    fates: new Map(sample.slice(0, 6).map(fate)),
    equivalents: new Map([[sample[3]!.id, {
      file: "",
      within: "",
      original: "",
      mutated: [],
      occurrence: 1,
      reason: "a is odd"
    }]]),
    secondsPerFault: 30
  }

  it("counts noticed faults and timeouts out of those that could be noticed", () => {
    assert.deepStrictEqual(areaScore(results), {
      tried: 6,
      killed: 1,
      timeout: 1,
      refused: 1,
      equivalent: 1,
      survived: 2,
      percent: 50
    })
    assert.include(areaScoreLine(results), "p2p, seed 5: 6 of 100 faults tried")
  })

  it("has the figures, the survivors and the equivalents with their reason", () => {
    const document = areaDocument(results)
    for (
      const line of [
        "| sampled | ",
        "| tried | 6 |",
        "| survived | 2 |",
        "| **score** | **50.0 %** |",
        "(3 of the 9 test files that reach it were run)",
        ": a is odd"
      ]
    ) {
      assert.include(document, line)
    }
  })
})
