import { assert, describe, it } from "vitest"
import { putFileInfo, readFileInfo } from "../../../src/engine/chainstate/file-info-entry.ts"
import type { KeyValue } from "../../../src/storage/key-value/key-value-store.ts"

const INFO = {
  file: 0x01020304,
  blockBytes: 0xf1020304,
  undoBytes: 0xe5060708,
  blocks: 0xd9101112,
  lowestHeight: 0xc3141516,
  highestHeight: 0xb7181920
}

const entryOf = (info: typeof INFO): KeyValue => {
  const entries: Array<KeyValue> = []
  putFileInfo(info, { put: (key, value) => entries.push([key.slice(), value.slice()]), remove: () => assert.fail() })
  assert.lengthOf(entries, 1)
  return entries[0]!
}

describe("the entry of a block file", () => {
  it("has five numbers of four bytes, big-endian, under the number of the file", () => {
    const [key, value] = entryOf(INFO)
    assert.strictEqual(Buffer.from(key.subarray(1)).toString("hex"), "01020304")
    assert.strictEqual(Buffer.from(value).toString("hex"), "f1020304e5060708d9101112c3141516b7181920")
  })

  it("is read back, wherever in a buffer it lies", () => {
    const [key, value] = entryOf(INFO)
    const within = (bytes: Uint8Array): Uint8Array => Uint8Array.of(9, 9, 9, ...bytes, 9).subarray(3, 3 + bytes.length)
    assert.deepStrictEqual(readFileInfo([within(key), within(value)]), INFO)
  })

  it("is none with a key or a value of another length", () => {
    const [key, value] = entryOf(INFO)
    assert.isUndefined(readFileInfo([key.subarray(0, 4), value]))
    assert.isUndefined(readFileInfo([Uint8Array.of(...key, 0), value]))
    assert.isUndefined(readFileInfo([key, value.subarray(0, 19)]))
    assert.isUndefined(readFileInfo([key, Uint8Array.of(...value, 0)]))
  })
})
