import { assert, describe, it } from "vitest"
import { readFileSync } from "node:fs"
import { CLAIMS, COMPANIONS, EXCLUSIONS, STILL_TO_COME } from "../src/sources/claims.ts"
import { filesOf } from "../src/sources/files.ts"
import { matches } from "../src/sources/glob.ts"
import { npmSource, pinnedPackage } from "../src/sources/npm.ts"
import { fateOf } from "../src/sources/sort-out.ts"
import { fileAt, type Source } from "../src/sources/source.ts"
import { SUITE_NAMES } from "../src/runners/table.ts"
import { WORKSPACE } from "../src/workspace.ts"

const root: Source = { kind: "root", label: "root", directory: "/nowhere" }

describe("globs", () => {
  it.each([
    ["rules/**.json", "rules/opc/OPC-118.json", true],
    ["blocks/*.blk", "blocks/mainnet-170.blk", true],
    ["blocks/*.blk", "blocks/a/b.blk", false],
    ["**README.md", "README.md", true],
    ["**README.md", "oracle/script_diff.README.md", true],
    ["a.json", "aXjson", false]
  ])("%s and %s: %s", (glob, path, expected) => {
    assert.strictEqual(matches(glob, path), expected)
  })
})

describe("what becomes of a file", () => {
  it.each([
    ["script/script_tests.json", "claimed"],
    ["oracle/taproot/script_assets_B.jsonl.gz", "claimed"],
    ["blocks/mainnet-1.spent.json.gz", "claimed"],
    ["blocks/index.json", "companion"],
    ["oracle/README.md", "excluded"],
    ["script/bip119_ctvhash.json.gz", "excluded"],
    ["oracle/verdicts/feature_block.jsonl.gz", "claimed"],
    ["oracle/chain/txoutset.jsonl.gz", "companion"],
    ["oracle/chain/core_datadir_xor.tar.gz", "still to come"],
    ["headers/signet_0_2015.bin", "claimed"],
    ["headers/mainnet_filter_headers_0_599.bin", "still to come"],
    ["script/new_vectors.json", "unclaimed"],
    ["notes.txt", "unclaimed"]
  ])("%s is %s", (path, kind) => {
    assert.strictEqual(fateOf(fileAt(root, path)).kind, kind)
  })

  it("may be that several suites read it", () => {
    const fate = fateOf(fileAt(root, "oracle/verdicts/feature_block.jsonl.gz"))
    assert.deepStrictEqual(fate.kind === "claimed" ? fate.suites : [], ["oracle-verdicts", "oracle-verdicts-large"])
  })

  it("gives every entry that no suite reads a reason", () => {
    for (const { why } of [...COMPANIONS, ...EXCLUSIONS, ...STILL_TO_COME]) assert.isAbove(why.length, 8)
  })

  it("leaves no suite without a claim", () => {
    assert.deepStrictEqual(SUITE_NAMES.filter((name) => !CLAIMS.some(({ suite }) => suite === name)), [])
  })

  it("settles every file of the npm package's test data and of our own vectors", () => {
    const ours: Source = { kind: "ours", label: "vectors", directory: `${WORKSPACE}/vectors` }
    const open = [npmSource(), ours].flatMap(filesOf).filter((file) => fateOf(file).kind === "unclaimed")
    assert.deepStrictEqual(open.map(({ display }) => display), [])
  })

  it("pins exactly the files of the npm package that are read", () => {
    const read = filesOf(npmSource()).filter((file) => ["claimed", "companion"].includes(fateOf(file).kind))
    assert.deepStrictEqual(read.map(({ path }) => path), pinnedPackage().files.map(({ path }) => path).toSorted())
  })

  it("pins the version that is a dependency", () => {
    const manifest = JSON.parse(readFileSync(`${WORKSPACE}/conformance/package.json`, "utf8")) as {
      readonly devDependencies: Readonly<Record<string, string>>
    }
    assert.strictEqual(manifest.devDependencies[pinnedPackage().name], pinnedPackage().version)
  })
})
