import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { filesToPruneNow, filesUpTo, type PruneSituation, pruneTargetNow } from "../../src/maintenance/prune-choice.ts"
import type { BlockFileInfo } from "../../src/storage/block-files/block-files.ts"

const MIB = 1024 * 1024
const file = (number: number, highestHeight: number, bytes = 100 * MIB): BlockFileInfo => ({
  file: number,
  blockBytes: bytes - 10,
  undoBytes: 10,
  blocks: 10,
  lowestHeight: highestHeight - 9,
  highestHeight
})
const situation = (tipHeight: number, more: Partial<PruneSituation> = {}): PruneSituation => ({
  tipHeight,
  headersHeight: tipHeight,
  initialBlockDownload: false,
  highestUnneeded: Infinity,
  held: new Set(),
  background: undefined,
  ...more
})
const numbers = (files: ReadonlyArray<BlockFileInfo>): ReadonlyArray<number> => files.map((each) => each.file)
const TEN = Array.from({ length: 10 }, (_, i) => file(i, 199 + i * 200))

describe("files that may go up to a height", () => {
  it.each(
    [
      ["a height", TEN, 599, situation(5000), [0, 1, 2]],
      ["one block less", TEN, 598, situation(5000), [0, 1]],
      ["the last 288 blocks", TEN, 5000, situation(1287), [0, 1, 2, 3, 4]],
      ["one block less of a chain", TEN, 5000, situation(1286), [0, 1, 2, 3]],
      ["the file that is written to", TEN, 5000, situation(5000), [0, 1, 2, 3, 4, 5, 6, 7, 8]],
      ["what an index needs", TEN, 5000, situation(5000, { highestUnneeded: 400 }), [0, 1]],
      ["files that are held", TEN, 599, situation(5000, { held: new Set([1]) }), [0, 2]],
      [
        "what the chain behind a snapshot needs, and go on above it",
        TEN,
        1_400,
        situation(5000, { background: { from: 300, to: 700 } }),
        [0, 3, 4, 5, 6]
      ],
      ["nothing of no files", [], 599, situation(5000), []]
    ] as const
  )("end at %s", (_, files, height, where, expected) => {
    assert.deepStrictEqual(numbers(filesUpTo(files, height, where)), [...expected])
  })

  it("never hold a block of the last 288", () => {
    fc.assert(fc.property(
      fc.array(fc.tuple(fc.nat(3000), fc.nat(3000)), { maxLength: 20 }),
      fc.nat(4000),
      fc.nat(4000),
      (heights, height, tip) => {
        const files = heights.map(([a, b], i) => ({ ...file(i, Math.max(a, b)), lowestHeight: Math.min(a, b) }))
        return filesUpTo(files, height, situation(tip)).every(({ highestHeight }) =>
          highestHeight <= tip - 288 && highestHeight <= height
        )
      }
    ))
  })
})

describe("files that go by themselves", () => {
  const target = (bytes: number) => ({ _tag: "TargetSize", bytes }) as const

  it.each(
    [
      ["nothing with room to spare", target(1018 * MIB), situation(5000), []],
      ["what is above the target with its buffer", target(1017 * MIB), situation(5000), [0]],
      ["as many as it takes", target(600 * MIB), situation(5000), [0, 1, 2, 3, 4]],
      ["not more than there may", target(1), situation(1287), [0, 1, 2, 3, 4]],
      ["nothing of a chain that is short", target(1), situation(1000), []],
      [
        "more in the initial download",
        target(1000 * MIB),
        situation(5000, { initialBlockDownload: true, headersHeight: 5300 }),
        [0, 1, 2, 3]
      ]
    ] as const
  )("by size: %s", (_, pruning, where, expected) => {
    assert.deepStrictEqual(numbers(filesToPruneNow(TEN, pruning, { name: "regtest" }, where)), [...expected])
  })

  it.each(
    [
      ["the last 1000", { _tag: "KeepBlocks", blocks: 1000 }, situation(1999), [0, 1, 2, 3, 4]],
      ["never fewer than 288", { _tag: "KeepBlocks", blocks: 1 }, situation(1287), [0, 1, 2, 3, 4]],
      ["from a height on", { _tag: "KeepBlocks", blocks: 300, fromHeight: 400 }, situation(5000), [0, 1]],
      ["all when asked only", { _tag: "Manual" }, situation(5000), []],
      ["all when off", { _tag: "Disabled" }, situation(5000), []]
    ] as const
  )("keeping blocks: %s", (_, pruning, where, expected) => {
    assert.deepStrictEqual(numbers(filesToPruneNow(TEN, pruning, { name: "regtest" }, where)), [...expected])
  })

  it("wait for a higher chain on mainnet", () => {
    assert.deepStrictEqual(filesToPruneNow(TEN, target(1), { name: "mainnet" }, situation(100_000)), [])
    assert.notDeepEqual(filesToPruneNow(TEN, target(1), { name: "mainnet" }, situation(100_001)), [])
  })
})

describe("what block files may take while the chain behind a snapshot is verified", () => {
  const background = { from: 300, to: 700 }

  it("is half of the target, but no less than the least target that can be chosen", () => {
    for (const [bytes, share] of [[4_000, 2_000], [1_100, 550], [600, 550], [550, 550], [100, 100]] as const) {
      assert.strictEqual(pruneTargetNow(bytes * MIB, { background }), share * MIB)
      assert.strictEqual(pruneTargetNow(bytes * MIB, { background: undefined }), bytes * MIB)
    }
  })

  it("decides which files go, and none that this chain still needs", () => {
    const pruning = { _tag: "TargetSize", bytes: 1_400 * MIB } as const
    const network = { name: "regtest", pruneAfterHeight: 100 } as const
    assert.deepStrictEqual(filesToPruneNow(TEN, pruning, network, situation(5_000)), [])
    const behind = situation(5_000, { background })
    assert.deepStrictEqual(numbers(filesToPruneNow(TEN, pruning, network, behind)), [0, 3, 4, 5])
  })
})
