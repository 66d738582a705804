import { assert, describe, it } from "vitest"
import { DISK_FULL, engineFaultText, lowSpaceText } from "../../../src/engine/api/fault-text.ts"

const MEBIBYTE = 1_048_576

describe("a fault of the node in a sentence", () => {
  it("names the directory that has too little space, and the limit in whole mebibytes", () => {
    const of = (minimumFreeBytes: number): string => lowSpaceText({ directory: "/data", minimumFreeBytes })
    assert.strictEqual(
      of(50 * MEBIBYTE),
      "Less than 50 MiB are free in /data: nothing is written until there is more"
    )
    const limits = [1.5 * MEBIBYTE - 1, 1.5 * MEBIBYTE, 100_000 * MEBIBYTE].map((bytes) => /\d+/.exec(of(bytes))![0])
    assert.deepStrictEqual(limits, ["1", "2", "100000"])
    const limit = { directory: "/blocks", minimumFreeBytes: MEBIBYTE }
    assert.strictEqual(engineFaultText({ _tag: "LowSpace", ...limit }), lowSpaceText(limit))
  })

  it("says what went wrong where that is known, and nothing of a defect", () => {
    assert.strictEqual(engineFaultText({ _tag: "Closing" }), "The node is stopping")
    assert.strictEqual(engineFaultText({ _tag: "Broken", cause: "the disk is gone" }), "the disk is gone")
    assert.strictEqual(engineFaultText({ _tag: "DiskFull", cause: "no room" }), `${DISK_FULL}. no room`)
    assert.strictEqual(
      engineFaultText({ _tag: "StorageFailed", reason: "io", message: "cannot read blk00000.dat" }),
      "cannot read blk00000.dat"
    )
    assert.strictEqual(engineFaultText({ _tag: "ScriptWorkerFailed", message: "a worker died" }), "a worker died")
    assert.strictEqual(engineFaultText({ _tag: "Defect" }), "Internal error")
  })
})
