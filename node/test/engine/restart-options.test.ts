import { assert, describe, it } from "@effect/vitest"
import { parametersIn } from "@lockstep/conformance/chain/recorded-options.ts"
import { Field } from "@lockstep/conformance/formats/field.ts"
import { displayHexOf, hexOf } from "@lockstep/conformance/formats/hex.ts"
import { createBench } from "@lockstep/conformance/judge/bench.ts"
import { oracleVerdicts } from "@lockstep/conformance/runners/oracle-verdicts.ts"
import { fileAt, type VectorFile } from "@lockstep/conformance/sources/source.ts"
import type { HeaderNode } from "@lockstep/kernel/chain"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { recordedFiles } from "../acceptance/recorded-files.ts"
import { verdictFiles } from "../acceptance/recorded-rows.ts"
import { replayVerdicts } from "../acceptance/replay-verdicts.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { plantedRoot, plantOn } from "./planted-blocks.ts"
import { play, playWithRestarts } from "./play-verdicts.ts"
import { testCrypto } from "./test-engine.ts"
import { verdictRows } from "./verdict-rows.ts"

/** Under these, blocks of the first version are valid for long. */
const LATE = ["bip34", "dersig", "cltv"].map((name) => `-testactivationheight=${name}@1000`)

/** A recording in which only the options of the last start say what a block of the first version is. */
const recording = (): ReadonlyArray<Record<string, unknown>> => {
  const first = plantOn(plantedRoot(), 1, 0n, 1)
  const refused = plantOn(first.node, 2, 0n, 1)
  const second = plantOn(first.node, 3, 0n, 1)
  const third = plantOn(second.node, 4, 0n, 1)
  const genesis = displayHexOf(REGTEST.parameters.genesisHash)
  const at = ({ hash, height }: HeaderNode) => ({ best: displayHexOf(hash), height })
  const rows = [
    { op: "start", chain: "regtest", args: LATE, mocktime: 1_700_100_000, best: genesis, height: 0 },
    { op: "submitblock", hex: hexOf(first.bytes), result: null, ...at(first.node) },
    { op: "restart", args: [], ...at(first.node) },
    { op: "submitblock", hex: hexOf(refused.bytes), result: "bad-version(0x00000001)", ...at(first.node) },
    { op: "restart", args: LATE, mocktime: 1_700_200_000, ...at(first.node) },
    { op: "submitblock", hex: hexOf(second.bytes), result: null, ...at(second.node) },
    { op: "restart", ...at(second.node) },
    { op: "submitblock", hex: hexOf(third.bytes), result: null, ...at(third.node) }
  ]
  return rows.map((row, i) => ({ i, ...row }))
}

/** Writes it where recordings are looked for, under a name that none has yet. */
const written = (root: string): VectorFile => {
  mkdirSync(join(root, "oracle/verdicts"), { recursive: true })
  writeFileSync(join(root, "oracle/MANIFEST.json"), JSON.stringify({ files: [] }))
  const text = recording().map((row) => JSON.stringify(row)).join("\n")
  writeFileSync(join(root, "oracle/verdicts/a_new_one.jsonl.gz"), gzipSync(`${text}\n`))
  return fileAt({ kind: "root", label: "vectors", directory: root }, "oracle/verdicts/a_new_one.jsonl.gz")
}

describe("a recorded restart with options of its own", () => {
  it("changes the rules; without any they stay", () => {
    const read = (row: unknown) => parametersIn(new Field(row, "file", "row"))
    assert.isUndefined(read({ op: "restart" }))
    assert.strictEqual(read({ args: [] })!.heights.bip34, REGTEST.parameters.heights.bip34)
    assert.strictEqual(read({ args: LATE })!.heights.bip34, 1_000)
    assert.isTrue(read({ args: ["-test=bip94"] })!.work.bip94)
  })

  it.live("is played by the engine, with further restarts in between as well", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      const rows = yield* Effect.promise(() => verdictRows(written(root), Infinity))
      yield* play(join(root, "played"), rows, Infinity)
      for (const seed of [1, 2, 3]) yield* playWithRestarts(join(root, `restarted-${seed}`), rows, seed)
    }))

  it.live("is played by the conformance suite", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      const file = written(root)
      const bench = createBench(testCrypto)
      const outcomes = yield* Effect.promise(async () => {
        const found: Array<unknown> = []
        for await (const { judge } of oracleVerdicts(file)) found.push(judge(bench))
        return found
      })
      assert.deepStrictEqual(outcomes, recording().map(() => undefined))
    }))

  it.live("is played over RPC, to a process that is started again", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      written(root)
      const [file] = verdictFiles(root)
      const { differences, rows } = yield* Effect.promise(() => replayVerdicts(file!.path, file!.upTo))
      assert.deepStrictEqual(differences, [])
      assert.strictEqual(rows, recording().length)
    }))
})

describe("recordings", () => {
  it.live("are found by their folder, and a new one is played by itself", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      written(root)
      writeFileSync(join(root, "oracle/verdicts/notes.txt"), "")
      assert.deepStrictEqual(recordedFiles("oracle/verdicts", "", root), ["a_new_one.jsonl.gz"])
      assert.deepStrictEqual(recordedFiles("oracle/verdicts", "b_", root), [])
      assert.deepStrictEqual(recordedFiles("oracle/nothing", "", root), [])
      assert.deepStrictEqual(verdictFiles(root).map(({ name, upTo }) => [name, upTo]), [["a_new_one", Infinity]])
    }))
})
