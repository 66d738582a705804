import { spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { areaCommand, type AreaOptions } from "../src/mutation/areas/area-command.ts"
import { faultsOf } from "../src/mutation/areas/fault.ts"
import { type TestedFile, testRunner } from "../src/mutation/areas/run-tests.ts"
import { makeWorkCopy } from "../src/mutation/areas/work-copy.ts"
import { UserError } from "../src/trace/command-line.ts"

const ROOT = join(import.meta.dirname, "../..")
const ASKED: AreaOptions = { area: "coins", faults: "2", seed: "78", seconds: "600", limit: "1", report: true }
const COPY = "lockstep-mutation-"

/** A directory for what a test makes, and for the copies of a run. */
let place = ""
const temporary = process.env["TMPDIR"]
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "mutation-"))
  process.env["TMPDIR"] = place
})
afterEach(() => {
  if (temporary === undefined) delete process.env["TMPDIR"]
  else process.env["TMPDIR"] = temporary
  rmSync(place, { recursive: true, force: true })
})

const copies = (): ReadonlyArray<string> => readdirSync(place).filter((name) => name.startsWith(COPY))

const put = (root: string, files: Readonly<Record<string, string>>): void => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
}

const SOURCE = "node/src/coins/richer.ts"
const RICHER = "export const isRicher = (a: number, b: number): boolean => a > b\n"
const TESTED = `import { expect, it } from "vitest"
import { isRicher } from "../../src/coins/richer.ts"

it("is no richer for less", () => expect(isRicher(1, 2)).toBe(false))
`

/** A workspace of one source file, with the test program and the type check of this one. */
const smallWorkspace = (): string => {
  const root = join(place, "workspace")
  put(root, {
    ".gitignore": "node_modules\n.cache\n",
    "vitest.config.mjs": `export default { test: { include: ["node/test/**/*.test.ts"] } }\n`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: { strict: true, module: "nodenext", types: [] },
      include: ["node/src"]
    }),
    [SOURCE]: RICHER,
    "node/test/coins/richer.test.ts": TESTED
  })
  for (
    const name of [
      "",
      "kernel",
      "crypto",
      "protocol",
      "descriptors",
      "txgraph",
      "node",
      "conformance",
      "property-tests"
    ]
  ) {
    mkdirSync(join(root, name, "node_modules"), { recursive: true })
  }
  for (const name of ["vitest", "typescript"]) {
    symlinkSync(join(ROOT, "node_modules", name), join(root, "node_modules", name))
  }
  assert.strictEqual(spawnSync("git", ["init", "-q", root]).status, 0)
  return root
}

const run = async (root: string, options: Partial<AreaOptions> = {}) => {
  const lines: Array<string> = []
  const faults: Array<string> = []
  const output = { line: (text: string) => void lines.push(text), fault: (text: string) => void faults.push(text) }
  return { code: await areaCommand(root, { ...ASKED, ...options }, 90, output), lines, faults }
}

describe("pnpm mutation --area", () => {
  it.each<readonly [string, Partial<AreaOptions>, RegExp]>([
    [
      "an unknown area",
      { area: "moon" },
      /^there is no area moon: p2p, relay, engine, mempool, storage, coins, indexes, protocol/
    ],
    ["a seed that is none", { seed: "x" }, /^--seed takes a number from 1/],
    ["no faults", { faults: "0" }, /^--faults takes a number from 1/]
  ])("refuses %s", async (_, options, said) => {
    const refusal = await run(ROOT, options).catch((error: unknown) => error)
    assert.instanceOf(refusal, UserError)
    assert.match((refusal as UserError).message, said)
  })

  it.each([
    [
      "an option of the kernel's runs",
      ["--area", "coins", "--folder", "script"],
      "--folder is not for a run with --area"
    ],
    ["an option of its own without an area", ["--seed", "5"], "--seed is not for a run without --area"]
  ])("refuses %s", (_, args, said) => {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [join(ROOT, "conformance/src/mutation/cli.ts"), ...args],
      { encoding: "utf8", env: { ...process.env, LOCKSTEP_VECTORS: "" } }
    )
    assert.deepStrictEqual([status, stdout, stderr.split("\n")[0]], [2, "", said])
  })

  it("plants faults in a copy, says which are noticed, and leaves the tree and no copy behind", async () => {
    const root = smallWorkspace()
    const { code, lines, faults } = await run(root)
    assert.deepStrictEqual(faults, [])
    assert.deepStrictEqual(lines, [
      "coins: 2 of 4 faults, seed 78",
      `killed   ${SOURCE}:1: a > b → true (node/test/coins/richer.test.ts: is no richer for less)`,
      "reach    node/test/coins/richer.test.ts",
      `survived ${SOURCE}:1: a > b → a >= b`,
      "coins, seed 78: 2 of 4 faults tried: 1 killed, 0 timeouts, 0 refused by the type check, 0 equivalent, " +
      "1 survived: 50.0 %"
    ])
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(copies(), [])
    assert.strictEqual(readFileSync(join(root, SOURCE), "utf8"), RICHER)
    assert.isTrue(existsSync(join(root, ".cache/mutation/coins-78.jsonl")))
    assert.include(readFileSync(join(root, "docs/audit/mutation-runs/coins-78.md"), "utf8"), "`a > b` → `a >= b`")
  })

  it("does not find out what reaches faults that quick tests nearby notice", async () => {
    const root = smallWorkspace()
    put(root, {
      "node/test/coins/richer.test.ts": TESTED +
        `it("is not richer for as much", () => expect(isRicher(1, 1)).toBe(false))\n`
    })
    const { code, lines } = await run(root)
    assert.deepStrictEqual(lines.map((line) => line.split(" ")[0]), ["coins:", "killed", "killed", "coins,"])
    assert.strictEqual(code, 0)
  })

  it("counts what runs before the tests of a file as its time, and its failure as the file's", async () => {
    const root = smallWorkspace()
    const before = (text: string): string => TESTED.replace("{ expect, it }", "{ beforeAll, expect, it }") + text
    put(root, {
      "node/test/coins/slow.test.ts": before("beforeAll(() => new Promise((resolve) => setTimeout(resolve, 700)))\n"),
      "node/test/coins/broken.test.ts": before("beforeAll(() => { throw new Error(\"no node\") })\n"),
      "node/test/coins/odd.test.ts": "import \"./nowhere.ts\"\n"
    })
    const names = ["richer", "slow", "broken", "odd"].map((name) => `node/test/coins/${name}.test.ts`)
    const ran = await testRunner(root, 77).run(names, { limit: 100_000, isWhole: true })
    assert.strictEqual(ran.kind, "ended")
    const { files } = ran as { readonly files: ReadonlyArray<TestedFile> }
    const [richer, slow, broken, odd] = names.map((name) => files.find(({ file }) => file === name)!)
    assert.isAtLeast(slow!.milliseconds, 700)
    assert.deepStrictEqual([richer, slow].map((each) => each!.failure), [undefined, undefined])
    for (const each of [broken, odd]) assert.isString(each!.failure)
  })

  it("plants a fault of this tree in a copy whose packages are those of the copy", async () => {
    const copy = makeWorkCopy(ROOT)
    const file = "kernel/src/constants.ts"
    const before = readFileSync(join(ROOT, file), "utf8")
    const fault = faultsOf(file, before, 1).find(({ mutated }) => mutated === "9999")!
    assert.strictEqual(realpathSync(join(copy.root, "node/node_modules/@lockstep/kernel")), join(copy.root, "kernel"))
    const installed = (root: string) => readdirSync(root).filter((name) => existsSync(join(root, name, "node_modules")))
    assert.deepStrictEqual(installed(copy.root), installed(ROOT))
    const judged = await copy.withFaults(
      [fault],
      () => testRunner(copy.root, 77).run(["node/test/coins/coin-codec.test.ts"], { limit: 100_000, isWhole: false })
    )
    copy.remove()
    assert.strictEqual(judged.kind, "ended")
    assert.include((judged as { files: ReadonlyArray<TestedFile> }).files[0]!.failure, "the longest script")
    assert.deepStrictEqual(copies(), [])
    assert.strictEqual(readFileSync(join(ROOT, file), "utf8"), before)
  })
})
