import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Fault, faultsOf } from "../src/mutation/areas/fault.ts"
import { numberPlaces, placeOf, withProbes } from "../src/mutation/areas/probes.ts"
import { findReach, type ReachBench } from "../src/mutation/areas/reach.ts"

let place = ""
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "reach-"))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const SOURCE = `const settle = (list, n) => {
  let count = 0
  count++
  list
  list.push(n)
  if (n > 9) count += 2
  else list.push(0)
  try {
    if (n > 99) throw new Error("large")
    return count && -n
  } catch (error) {
    list.push(error)
    return count || 7
  } finally {
    list.push(8)
  }
}
export { settle }
`

/** Writes `SOURCE` with a probe at each fault, and answers the faults whose places `run` reached. */
const reachedIn = async (run: (path: string) => Promise<void>): Promise<ReadonlySet<string>> => {
  const faults = faultsOf("f.ts", SOURCE, 1)
  const numbers = numberPlaces(faults)
  const [program, written] = [join(place, "settle.mjs"), join(place, "reached.txt")]
  const probed = withProbes(SOURCE, faults, numbers, written)
  assert.strictEqual(probed.split("\n").length, SOURCE.split("\n").length)
  writeFileSync(program, probed)
  writeFileSync(written, "")
  await run(program)
  const seen = new Set(readFileSync(written, "utf8").split("\n"))
  return new Set(
    faults.filter((fault) => seen.has(String(numbers.get(placeOf(fault))))).map(({ line, original }) =>
      `${line} ${original.split("\n")[0]}`
    )
  )
}

interface Settling {
  readonly settle: (list: Array<unknown>, n: number) => number
}

describe("probes", () => {
  it("say which places a program ran, which does what it did without them", async () => {
    const list: Array<unknown> = []
    const reached = await reachedIn(async (program) => {
      const { settle } = await import(pathToFileURL(program).href) as Settling
      assert.strictEqual(settle(list, 5), -5)
      assert.strictEqual(settle(list, 5), -5)
    })
    assert.deepStrictEqual(list, [5, 0, 8, 5, 0, 8])
    for (const text of ["3 count++", "5 list.push(n)", "6 n > 9", "7 list.push(0)", "14 {", "9 n > 99", "10 -n"]) {
      assert.isTrue(reached.has(text), text)
    }
    for (const text of ["6 count += 2", "11 {", "12 list.push(error)", "9 throw new Error(\"large\")", "13 7"]) {
      assert.isFalse(reached.has(text), text)
    }
  })

  it("work in a thread as well", async () => {
    const reached = await reachedIn((program) =>
      new Promise((resolve, reject) => {
        const text = `import(${JSON.stringify(pathToFileURL(program).href)}).then(({ settle }) => settle([], 100))`
        new Worker(text, { eval: true }).once("error", reject).once("exit", () => resolve())
      })
    )
    for (const text of ["6 count += 2", "11 {", "12 list.push(error)", "9 throw new Error(\"large\")"]) {
      assert.isTrue(reached.has(text), text)
    }
    assert.isFalse(reached.has("7 list.push(0)"))
  })

  it("do nothing where their file cannot be written", async () => {
    const faults = faultsOf("f.ts", SOURCE, 1)
    const program = join(place, "settle.mjs")
    writeFileSync(program, withProbes(SOURCE, faults, numberPlaces(faults), join(place, "missing", "reached.txt")))
    const { settle } = await import(pathToFileURL(program).href) as Settling
    assert.strictEqual(settle([], 5), -5)
  })
})

const TESTS = ["one.test.ts", "two.test.ts", "broken.test.ts"]

/** What is found out where each test reaches the places it has here; a test without any fails. */
const found = async (reaches: Readonly<Record<string, ReadonlyArray<number>>>, faults: ReadonlyArray<Fault>) => {
  const run: Array<string> = []
  const learned: Array<string> = []
  let file = ""
  const bench: ReachBench = {
    root: place,
    runner: {
      run: ([test]) => {
        run.push(test!)
        const reached = reaches[test!]
        writeFileSync(file, (reached ?? []).map((number) => `${number}\n`).join(""))
        const failure = reached === undefined ? "it fails" : undefined
        return Promise.resolve({ kind: "ended", files: [{ file: test!, milliseconds: 5, failure }] })
      }
    },
    known: { of: () => undefined, estimate: () => 0, learned: (test) => void learned.push(test) },
    others: ["source.ts"],
    withProbes: (probed, path, trial) => {
      file = path
      return trial(numberPlaces(probed))
    },
    importing: () => TESTS,
    progress: () => {}
  }
  const reach = await findReach(bench, faults, { area: "coins", seed: 3 })
  return { run, learned, reach: faults.map((fault) => [...reach(fault) ?? []].sort()) }
}

describe("the reach of tests", () => {
  const faults = faultsOf("f.ts", "const f = (a) => a + 2\nconst g = (a) => a * 3\n", 1)
  const [sum] = faults.filter(({ original }) => original === "a + 2")
  const [product] = faults.filter(({ original }) => original === "a * 3")
  const two = [sum!, product!]

  beforeEach(() => {
    for (const file of [...TESTS, "source.ts"]) writeFileSync(join(place, file), file)
    mkdirSync(join(place, ".cache"))
  })

  it("is what their probes wrote; a test that fails with them counts for all it imports", async () => {
    const first = await found({ "one.test.ts": [1], "two.test.ts": [] }, two)
    assert.deepStrictEqual(first.reach, [["broken.test.ts", "one.test.ts"], ["broken.test.ts"]])
    assert.deepStrictEqual(first.learned, ["one.test.ts", "two.test.ts"])
  })

  it("is kept as long as the test and what it imports are the same", async () => {
    await found({ "one.test.ts": [1], "two.test.ts": [2], "broken.test.ts": [] }, two)
    const again = await found({}, two)
    assert.deepStrictEqual([again.run, again.reach], [[], [["one.test.ts"], ["two.test.ts"]]])
    writeFileSync(join(place, "two.test.ts"), "changed")
    const later = await found({ "two.test.ts": [1, 2] }, two)
    assert.deepStrictEqual([later.run, later.reach], [["two.test.ts"], [["one.test.ts", "two.test.ts"], [
      "two.test.ts"
    ]]])
    writeFileSync(join(place, "source.ts"), "changed")
    assert.deepStrictEqual((await found({}, two)).run, TESTS)
  })

  it("is found out anew for a fault that was not asked for before", async () => {
    await found({ "one.test.ts": [1], "two.test.ts": [], "broken.test.ts": [] }, [sum!])
    assert.deepStrictEqual((await found({}, [sum!])).run, [])
    assert.deepStrictEqual((await found({}, two)).run, TESTS)
  })

  it("is unknown where no test is seen to run the place", async () => {
    assert.deepStrictEqual((await found({ "one.test.ts": [], "two.test.ts": [], "broken.test.ts": [] }, two)).reach, [
      [],
      []
    ])
  })
})
