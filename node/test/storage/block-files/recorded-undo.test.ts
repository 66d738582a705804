import { assert, describe, it } from "@effect/vitest"
import { judgeUndo } from "@lockstep/conformance/chain/undo-facts.ts"
import { Field } from "@lockstep/conformance/formats/field.ts"
import type { BlockUndo } from "@lockstep/kernel/utxo"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { join } from "node:path"
import {
  type FoundRecord,
  type RecordLayout,
  blockLayout,
  readBlockRecords
} from "../../../src/storage/block-files/read-block-records.ts"
import { UNDO_CHECKSUM, undoChecksum } from "../../../src/storage/block-files/record.ts"
import { decodeUndo, undoCodec } from "../../../src/storage/block-files/undo-codec.ts"
import { readXorKey } from "../../../src/storage/block-files/xor-key.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { RECORDED_DIRECTORIES, recordedChain, recordedRows, unpackDirectory } from "./recorded-files.ts"

const disk = nodeDisk("block-files")

const recordsOf = Effect.fnUntraced(function*(path: string, layout: RecordLayout) {
  const found: Array<FoundRecord> = []
  const file = yield* disk.open(path, "read")
  yield* readBlockRecords(file, layout, (record) => Effect.sync(() => found.push(record) > 0))
  yield* file.close
  return found
})

const displayHash = (bytes: Uint8Array): string =>
  hash("sha256", hash("sha256", bytes, "buffer"), "buffer").reverse().toString("hex")

const hasUncompressedKey = ({ spent }: BlockUndo): boolean =>
  spent.some((coins) => coins.some(({ script }) => script.length === 67 && script[0] === 65 && script[66] === 0xac))

describe.skipIf(recordedChain === undefined)("files Bitcoin Core wrote", () => {
  for (const name of RECORDED_DIRECTORIES) {
    it.effect(`${name}: all blocks and undo data are found, and say what the implementation said`, () =>
      Effect.gen(function*() {
        const blocks = join(yield* unpackDirectory(name), "blocks")
        const key = (yield* readXorKey(disk, blocks, yield* disk.list(blocks)))!
        assert.strictEqual(key.isZero, name === "core_datadir_noxor")
        const layout = blockLayout(REGTEST.magic, key)
        const found = yield* recordsOf(join(blocks, "blk00000.dat"), layout)
        const undos = yield* recordsOf(join(blocks, "rev00000.dat"), { ...layout, smallest: 1, behind: UNDO_CHECKSUM })
        // All that were submitted but those that were refused before they were stored.
        assert.strictEqual(found.length, 355)
        const byChecksum = new Map(undos.map(({ bytes }) => {
          const end = bytes.length - UNDO_CHECKSUM
          return [Buffer.from(bytes.subarray(end)).toString("hex"), bytes.subarray(0, end)] as const
        }))
        assert.strictEqual(byChecksum.size, undos.length)
        const headers = new Map(found.map(({ bytes }) => [displayHash(bytes.subarray(0, 80)), bytes]))
        const rows = recordedRows("getblock_v3.jsonl.gz") as ReadonlyArray<
          { readonly hash: string; readonly result: unknown }
        >
        for (const row of rows) {
          const previous = headers.get(row.hash)!.subarray(4, 36)
          const matching = [...byChecksum].filter(([checksum, undo]) =>
            undoChecksum(previous, undo).toString("hex") === checksum
          )
          assert.strictEqual(matching.length, 1, row.hash)
          const undo = decodeUndo(matching[0]![1])!
          assert.isUndefined(judgeUndo(new Field(row.result, "getblock", row.hash), undo))
          assert.deepStrictEqual(undo.replaced, [])
        }
        let [same, kept] = [0, 0]
        const codec = undoCodec()
        for (const bytes of byChecksum.values()) {
          const undo = decodeUndo(bytes)!
          assert.isDefined(undo)
          const again = codec.encode(undo)
          if (!hasUncompressedKey(undo)) {
            assert.deepStrictEqual(Buffer.from(again), Buffer.from(bytes))
            same++
          } else {
            assert.deepStrictEqual(decodeUndo(again), undo)
            kept++
          }
        }
        assert.isAbove(same, 200)
        assert.strictEqual(same + kept, undos.length)
      }))
  }
})
