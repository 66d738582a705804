import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Equivalent, EQUIVALENTS_FILE, matchEquivalents, readEquivalents } from "../src/mutation/equivalents.ts"
import type { Fate } from "../src/mutation/experiment.ts"
import type { Mutant } from "../src/mutation/mutant.ts"
import { mutationDocument, scores, survivors } from "../src/mutation/report.ts"

const mutant = (id: number, mutated: string, file = "kernel/src/script/f.ts"): Mutant => ({
  id,
  file,
  line: id,
  within: "f",
  original: "a  +\n  1",
  mutated,
  occurrence: 1
})
const KILLED: Fate = { kind: "killed", by: "vectors/rules/x.json 1", how: "throws" }
const SURVIVED: Fate = { kind: "survived", reached: true, seen: true }
const MUTANTS = [mutant(1, "a - 1"), mutant(2, "a + 2"), mutant(3, "a + 0"), mutant(4, "a", "kernel/src/constants.ts")]
const FATES = new Map<number, Fate>([
  [1, KILLED],
  [2, SURVIVED],
  [3, { kind: "survived", reached: false, seen: false }],
  [4, KILLED]
])
const equivalent = (mutated: string, more: Partial<Equivalent> = {}): Equivalent => ({
  file: "kernel/src/script/f.ts",
  within: "f",
  original: "a + 1",
  mutated: [mutated],
  occurrence: 1,
  reason: "a is even",
  ...more
})
const SURVEY = {
  fingerprint: "",
  cases: [{ suite: "rules", label: "x", milliseconds: 1, turns: 1, fault: undefined }],
  seenBy: [],
  seenAtLoad: new Uint32Array(),
  reached: new Uint32Array()
}

describe("equivalent mutants", () => {
  const match = (list: ReadonlyArray<Equivalent>, isPart = false) => matchEquivalents(list, MUTANTS, FATES, isPart)

  it("are found by their text, whatever its white space", () => {
    const { byMutant, faults } = match([equivalent("a + 2")])
    assert.deepEqual([[...byMutant.keys()], faults], [[2], []])
  })

  it.each<readonly [string, ReadonlyArray<Equivalent>, RegExp]>([
    ["has no mutant", [equivalent("a + 7")], /f: a \+ 1 → a \+ 7: there is no such mutant/],
    ["is in a file that is gone", [equivalent("a + 2", { file: "kernel/src/gone.ts" })], /there is no such mutant/],
    ["is killed", [equivalent("a - 1")], /is not equivalent in line 1, vectors\/rules\/x\.json 1 kills it/],
    ["is killed in one of its places", [equivalent("a - 1", { occurrence: undefined })], /is not equivalent in line 1/],
    ["is listed twice", [equivalent("a + 2"), equivalent("a + 2")], /is listed twice/]
  ])("make the run fail when one %s", (_, list, said) => {
    assert.match(match(list).faults.join("\n"), said)
  })

  it("of other files are left alone by a run over a part", () => {
    assert.deepEqual(match([equivalent("a + 2", { file: "kernel/src/gone.ts" })], true).faults, [])
  })

  describe("in their file", () => {
    let directory = ""
    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), "mutation-"))
      mkdirSync(join(directory, "conformance"))
    })
    afterEach(() => rmSync(directory, { recursive: true }))
    const read = (yaml: string) => {
      writeFileSync(join(directory, EQUIVALENTS_FILE), yaml)
      return readEquivalents(directory)
    }
    const ENTRY = "- file: a.ts\n  within: f\n  original: x\n  mutated: y\n"

    it("may be none", () => {
      assert.deepEqual(readEquivalents(directory), [])
      assert.deepEqual(read("# nothing yet\n"), [])
    })

    it("have a reason", () => {
      assert.strictEqual(read(`${ENTRY}  reason: because\n`)[0]!.reason, "because")
      assert.throws(() => read(ENTRY), /entry 1 has no reason/)
      assert.throws(() => read(`${ENTRY}  reason: " "\n`), /entry 1 has no reason/)
      assert.throws(() => read("a: b"), /must be a list/)
    })

    it("speak of one place or of all that look the same, and of one change or several", () => {
      const [first, second] = read(
        `${ENTRY}  reason: r\n${ENTRY.replace("mutated: y", "mutated: [y, z]")}  occurrence: all\n  reason: r\n`
      )
      assert.deepEqual([first!.mutated, first!.occurrence], [["y"], 1])
      assert.deepEqual([second!.mutated, second!.occurrence], [["y", "z"], undefined])
      assert.throws(() => read(`${ENTRY}  occurrence: some\n  reason: r\n`), /neither a whole number nor all/)
      assert.throws(() => read(`${ENTRY.replace("y", "[]")}  reason: r\n`), /has no mutated/)
    })
  })
})

describe("the report", () => {
  const findings = {
    mutants: MUTANTS,
    experiment: { fates: FATES, survey: SURVEY },
    equivalents: matchEquivalents([equivalent("a + 2")], MUTANTS, FATES, false).byMutant
  }

  it("scores each folder without its equivalent mutants", () => {
    assert.deepEqual(scores(findings), [
      { folder: "script", mutants: 3, killed: 1, equivalent: 1, survived: 1, percent: 50 },
      { folder: "top", mutants: 1, killed: 1, equivalent: 0, survived: 0, percent: 100 }
    ])
  })

  it("lists survivors with how far they got, and equivalents with their reason", () => {
    assert.deepEqual(survivors(findings).map((survivor) => survivor.mutant.id), [3])
    const document = mutationDocument(findings)
    assert.include(document, "| script | 3 | 1 | 1 | 1 | 50.0 % |")
    assert.include(document, "### kernel/src/script/f.ts\n\n- 3, `f`: `a + 1` → `a + 0` (no case runs it)\n")
    assert.include(document, "- 2, `f`: `a + 1` → `a + 2`: a is even\n")
    assert.include(document, "Judged by 1 cases: rules 1.")
  })
})

const CLI = join(import.meta.dirname, "../src/mutation/cli.ts")
const run = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8", env: { ...process.env, LOCKSTEP_VECTORS: "" } })

describe("pnpm mutation", () => {
  it.each<readonly [string, ReadonlyArray<string>, RegExp]>([
    ["an unknown option", ["--colour"], /^Unknown option '--colour'\n\nUsage: pnpm mutation/],
    ["an unknown folder", ["--folder", "nowhere"], /^there is no such folder or file in kernel\/src/],
    [
      "a number of jobs that is none",
      ["--file", "sigops/script.ts", "--jobs", "many"],
      /^--jobs takes a number from 1 to 64/
    ],
    ["a report on a part", ["--report", "--folder", "script"], /^--report is about the whole kernel/],
    [
      "a directory that is not there",
      ["--file", "sigops/script.ts", "--vectors", "/nowhere/at/all"],
      /^there is no directory \/nowhere\/at\/all/
    ]
  ])("refuses %s", (_, args, said) => {
    const { status, stdout, stderr } = run(...args)
    assert.deepEqual([status, stdout], [2, ""])
    assert.match(stderr, said)
  })

  it("tries the mutants of one file and says what became of each", () => {
    const directory = mkdtempSync(join(tmpdir(), "mutation-"))
    try {
      const file = join(directory, "mutants.json")
      const { status, stdout, stderr } = run("--file", "interpreter/op/equality.ts", "--jobs", "1", "--json", file)
      assert.strictEqual(stderr, "")
      assert.strictEqual(status, 0, stdout)
      const { scores: [score], mutants } = JSON.parse(readFileSync(file, "utf8")) as {
        readonly scores: ReadonlyArray<{ readonly folder: string; readonly percent: number }>
        readonly mutants: ReadonlyArray<{ readonly kind: string; readonly file: string }>
      }
      assert.strictEqual(score!.folder, "interpreter")
      assert.isAtLeast(score!.percent, 90)
      assert.isTrue(
        mutants.every((each) => each.kind !== undefined && each.file === "kernel/src/interpreter/op/equality.ts")
      )
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
