import { assert, describe, it } from "vitest"
import { createHash } from "node:crypto"
import {
  recordHeadFault,
  recordLength,
  undoChecksum,
  writeRecordHead
} from "../../../src/storage/block-files/record.ts"
import { MAGIC } from "./opened-files.ts"

const sha256 = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

describe("the head of a record", () => {
  it("is the magic and the length, lowest byte first", () => {
    for (
      const [size, bytes] of [[0x81020304, [4, 3, 2, 0x81]], [0xff00ff, [0xff, 0, 0xff, 0]], [7, [7, 0, 0, 0]]] as const
    ) {
      const head = new Uint8Array(9).fill(0xee)
      writeRecordHead(head, MAGIC, size)
      assert.deepStrictEqual([...head], [...MAGIC, ...bytes, 0xee])
      assert.strictEqual(recordLength(head, MAGIC), size)
      assert.isUndefined(recordHeadFault(head, MAGIC, size))
      assert.strictEqual(recordHeadFault(head, MAGIC, 9), `its length is ${size} there, not 9`)
    }
  })

  it("is none where a byte of the magic differs", () => {
    for (let i = 0; i < 4; i++) {
      const head = new Uint8Array(8)
      writeRecordHead(head, MAGIC, 5)
      head[i]! ^= 1
      assert.isUndefined(recordLength(head, MAGIC))
      assert.strictEqual(recordHeadFault(head, MAGIC, 5), "no record of this network starts there")
    }
  })
})

describe("the checksum of undo data", () => {
  it("is the double SHA-256 of the hash of the block before and the data", () => {
    const [previous, undo] = [new Uint8Array(32).map((_, i) => i + 1), Uint8Array.of(9, 8, 7)]
    assert.deepStrictEqual(undoChecksum(previous, undo), sha256(sha256(Buffer.concat([previous, undo]))))
  })
})
