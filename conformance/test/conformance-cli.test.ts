import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { filesOf } from "../src/sources/files.ts"
import { damages } from "../src/sources/integrity.ts"
import { npmSource } from "../src/sources/npm.ts"
import type { Source } from "../src/sources/source.ts"
import { WORKSPACE } from "../src/workspace.ts"

const folder = mkdtempSync(join(tmpdir(), "conformance-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Run {
  readonly code: number | null
  readonly out: string
}

const conformance = (...args: ReadonlyArray<string>): Run => {
  const { LOCKSTEP_VECTORS: _, ...env } = process.env
  const run = spawnSync("node", ["conformance/src/cli.ts", ...args], { cwd: WORKSPACE, env, encoding: "utf8" })
  return { code: run.status, out: run.stdout + run.stderr }
}

const fresh = (() => {
  let count = 0
  return (files: Readonly<Record<string, string | Uint8Array>>): string => {
    const root = join(folder, String(count++))
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    return root
  }
})()

const noStack = ({ out }: Run): void => assert.notMatch(out, /^\s+at .*:\d+:\d+/m)

describe("pnpm conformance", () => {
  it("explains itself", () => {
    const run = conformance("--help")
    assert.strictEqual(run.code, 0)
    for (const option of ["--suite", "--rule", "--provider", "--vectors", "--json", "--source", "--case"]) {
      assert.include(run.out, option)
    }
  })

  it.each([
    [["--sweet", "x"], "There is no option --sweet; the nearest is --suite."],
    [["--suite", "scripttests"], "There is no suite \"scripttests\"; the nearest is script_tests."],
    [["--rule", "OPC-999"], "There is no rule \"OPC-999\"; the nearest is OPC-"],
    [["--provider", "nobel"], "There is no provider \"nobel\"; the nearest is noble."],
    [["--source", "rot"], "There is no source \"rot\"; the nearest is root."],
    [["--jobs", "0"], "--jobs is a number of workers from 1 to 256, not \"0\"."],
    [["--vectors", "no/such/place"], "--vectors names \"no/such/place\", which is no directory."],
    [["--source", "root"], "--source root needs a directory of reference vectors"],
    [["--suite", "script_diff"], "No vectors of suite script_diff in vectors, bitcore-lib."],
    [["--case", "script_tests.json"], "--case wants FILE:INDEX"],
    [
      ["--case", "bitcore-lib/test/data/sighash.json:9999"],
      "No vectors of case bitcore-lib/test/data/sighash.json:9999"
    ],
    [["script_tests"], "\"script_tests\" belongs to no option"],
    [["--suite"], "'--suite <value>' argument missing"]
  ])("answers %j with a plain message", (args, message) => {
    const run = conformance(...args)
    assert.strictEqual(run.code, 2)
    assert.include(run.out, message)
    noStack(run)
  })

  it("lists suites and the files that none reads", () => {
    const run = conformance("--list")
    assert.strictEqual(run.code, 0)
    assert.include(run.out, "script_diff (large)")
    assert.include(run.out, "BIP119 is not a consensus rule")
  })

  it("names the nearest rule of an area, and what the area has", () => {
    assert.match(conformance("--rule", "CHN-010").out, /the nearest is CHN-007; CHN has 001–007\./)
    assert.match(conformance("--rule", "XYZ-001").out, /; the areas are [A-Z, ]+CHN[A-Z, ]+\./)
  })

  it("prints a rule and runs its vectors and its properties", () => {
    const run = conformance("--rule", "opc-118")
    assert.strictEqual(run.code, 0)
    for (const part of ["OPC-118 · ", "Statement", "opDup(m)", "vectors/rules/opc/OPC-118.json", "OPC-118/P1"]) {
      assert.include(run.out, part)
    }
    const [, properties] = /\nrules \(properties\): (\d+) passed, 0 failed\n/.exec(run.out) ?? []
    assert.isAbove(Number(properties), 0)
    const [, total] = /\n([1-9]\d*) passed, 0 failed\n$/.exec(run.out) ?? []
    assert.isAbove(Number(total), Number(properties))
  })

  it("runs one case alone", () => {
    const run = conformance("--case", "bitcore-lib/test/data/sighash.json:7")
    assert.strictEqual(run.code, 0)
    assert.match(run.out, /\n1 passed, 0 failed\n$/)
  })
})

describe("the sets that an install brings", () => {
  const report = join(folder, "report.json")
  let run: Run
  beforeAll(() => {
    run = conformance("--source", "npm", "--json", report)
  })

  it("pass with every case that the manifest counts", () => {
    const { suites } = JSON.parse(readFileSync(report, "utf8")) as {
      readonly suites: ReadonlyArray<{ readonly cases: number }>
    }
    const pinned = JSON.parse(readFileSync(`${WORKSPACE}/vectors/manifest.json`, "utf8")) as {
      readonly package: { readonly files: ReadonlyArray<{ readonly cases: number }> }
    }
    const total = pinned.package.files.reduce((sum, { cases }) => sum + cases, 0)
    assert.strictEqual(suites.reduce((sum, { cases }) => sum + cases, 0), total)
    assert.include(run.out, `\n${total} passed, 0 failed\n`)
    assert.strictEqual(run.code, 0)
  })

  it("write a report with suites, rules, provider, Node and time", () => {
    const written = JSON.parse(readFileSync(report, "utf8")) as Readonly<Record<string, unknown>>
    assert.containsAllKeys(written, ["suites", "rules", "provider", "node", "seconds"])
    const [suite] = written["suites"] as ReadonlyArray<object>
    assert.containsAllKeys(suite, ["name", "source", "cases", "passed", "failed", "skipped"])
    const rules = written["rules"] as ReadonlyArray<
      { readonly id: string; readonly accepted: number; readonly rejected: number }
    >
    assert.isAbove(rules.find(({ id }) => id === "SCR-011")!.rejected, 100)
  })
})

describe("a directory of reference vectors", () => {
  const data = `${npmSource().directory}/test/data`
  const canonical = readFileSync(`${data}/bitcoind/sig_canonical.json`)

  it("may hold any part of the layout", () => {
    const run = conformance(
      "--source",
      "root",
      "--vectors",
      fresh({ "crypto/sig_canonical.json": canonical, "README.md": "" })
    )
    assert.strictEqual(run.code, 0)
    assert.match(run.out, /\n5 passed, 0 failed\n$/)
  })

  it("fails at a file that no suite reads, by its name", () => {
    const run = conformance(
      "--source",
      "root",
      "--vectors",
      fresh({ "crypto/sig_canonical.json": canonical, "script/more.json": "[]" })
    )
    assert.strictEqual(run.code, 1)
    assert.include(run.out, "script/more.json is read by no suite")
    assert.match(run.out, /\n5 passed, 1 failed\n$/)
  })

  it.each([
    ["script/script_tests.json", "[[\"1\", \"\", \"\", \"OK\"],\n [\"1\" \"\"]]", "line 2 column 7"],
    ["script/script_tests.json", "[[\"1\", \"DUPP\", \"\", \"OK\"]]", "[0][1]: \"DUPP\" is no opcode"],
    ["script/script_tests.json", "{}", "expected an array, found {}"],
    ["script/tx_valid.json", "[[[], \"zz\", \"NONE\"]]", "[0][1]: expected hexadecimal bytes, found \"zz\""],
    ["script/taproot_assets.jsonl.gz", "plain text", "cannot be read: incorrect header check"],
    [
      "oracle/script_diff.jsonl.gz",
      gzipSync("{\"tx\": \"00\", \"note\": \"n\"}\n{\"tx\": 1\n"),
      "line 2, column 9: is not JSON here"
    ],
    ["crypto/bip340_test_vectors.csv", "h\n0,,00,,00,0g,TRUE,x\n", "row 0: expected hexadecimal bytes, found \"0g\""],
    ["blocks/mainnet-170.spent.json.gz", gzipSync("[]"), "mainnet-170.blk beside it"]
  ])("names %s and the place when it is damaged (%#)", (path, content, message) => {
    const run = conformance("--source", "root", "--vectors", fresh({ [path]: content }))
    assert.strictEqual(run.code, 1)
    assert.include(run.out, path)
    assert.include(run.out, message)
    noStack(run)
  })

  it("names a file that differs from its manifest", () => {
    const sha256 = createHash("sha256").update(canonical).digest("hex")
    const manifest = JSON.stringify([{ path: "crypto/sig_canonical.json", sha256 }])
    const sound = conformance(
      "--source",
      "root",
      "--vectors",
      fresh({ "crypto/sig_canonical.json": canonical, "MANIFEST.json": manifest })
    )
    assert.strictEqual(sound.code, 0)
    const damaged = conformance(
      "--source",
      "root",
      "--vectors",
      fresh({
        "crypto/sig_canonical.json": canonical.toString().replace("3006", "3007"),
        "MANIFEST.json": manifest
      })
    )
    assert.strictEqual(damaged.code, 1)
    assert.include(damaged.out, "crypto/sig_canonical.json is corrupted")
    noStack(damaged)
  })

  it("shows a failing case with file, index, rule, both answers and the command for it alone", () => {
    const root = fresh({ "script/script_tests.json": "[[\"1\", \"DROP DROP\", \"P2SH\", \"OK\", \"one too many\"]]" })
    const run = conformance("--source", "root", "--vectors", root)
    assert.strictEqual(run.code, 1)
    for (
      const part of [
        "script_tests.json:0",
        "one too many",
        "expected  OK",
        "actual    INVALID_STACK_OPERATION",
        "rule      OPC-117"
      ]
    ) {
      assert.include(run.out, part)
    }
    const [, command] = /again {5}npx --yes pnpm@\S+ conformance (.*)/.exec(run.out) ?? []
    const again = conformance(...command!.split(" "))
    assert.strictEqual(again.code, 1)
    assert.match(again.out, /\n0 passed, 1 failed\n$/)
  })
})

describe("the npm package", () => {
  it("must hold the pinned bytes", () => {
    const path = "test/data/sighash.json"
    const directory = fresh({ [path]: readFileSync(`${npmSource().directory}/${path}`) })
    const copy: Source = { kind: "npm", label: "copy", directory }
    assert.deepStrictEqual(damages(copy, filesOf(copy), filesOf(copy)), [])
    appendFileSync(join(directory, path), " ")
    const [damage] = damages(copy, filesOf(copy), filesOf(copy))
    assert.strictEqual(damage?.file.display, `copy/${path}`)
    assert.include(damage?.problem, "is corrupted")
  })

  it("must not bring a file that is not pinned", () => {
    const copy: Source = { kind: "npm", label: "copy", directory: fresh({ "test/data/more.json": "[]" }) }
    assert.include(damages(copy, filesOf(copy), filesOf(copy))[0]?.problem, "has no checksum")
  })
})
