import { assert, describe, it } from "@effect/vitest"
import { transactionId } from "@lockstep/kernel/model"
import fc from "fast-check"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { decodeMempoolFile, encodeMempoolFile, type SavedMempool } from "../../../src/engine/mempool/mempool-file.ts"
import { conversationAt, recordingsFolder } from "../../recordings/conversation.ts"
import { testCrypto } from "../test-engine.ts"
import { loose } from "./loose-transactions.ts"

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const id = fc.uint8Array({ minLength: 32, maxLength: 32 })
const delta = fc.bigInt(-(1n << 62n), 1n << 62n)
const transaction = fc.record({
  tx: fc.tuple(id, fc.integer({ min: 0, max: 9 }), fc.array(fc.bigInt(0n, 10n ** 9n), { minLength: 1, maxLength: 3 }))
    .map(([txid, vout, values]) => loose({ inputs: [{ txid, vout }], values })),
  time: fc.integer({ min: 0, max: 2 ** 40 }),
  feeDelta: delta
})
const mempool: fc.Arbitrary<SavedMempool> = fc.record({
  transactions: fc.array(transaction, { maxLength: 4 }),
  deltas: fc.array(fc.record({ txid: id, feeDelta: delta }), { maxLength: 4 }),
  unbroadcast: fc.array(id, { maxLength: 4 })
})
const key = fc.option(fc.uint8Array({ minLength: 8, maxLength: 8 }), { nil: undefined })

const shown = ({ deltas, transactions, unbroadcast }: SavedMempool) => ({
  transactions: transactions.map(({ feeDelta, time, tx }) => `${hexOf(tx.bytes)} ${time} ${feeDelta}`),
  deltas: deltas.map(({ feeDelta, txid }) => `${hexOf(txid)} ${feeDelta}`).toSorted(),
  unbroadcast: unbroadcast.map(hexOf).toSorted()
})

describe("mempool.dat", () => {
  it("is read back as it was written, plain or under a key", () => {
    fc.assert(fc.property(mempool, key, (saved, mask) => {
      const decoded = decodeMempoolFile(encodeMempoolFile(saved, mask))
      assert.isUndefined(decoded.fault)
      assert.deepStrictEqual(shown(decoded), shown(saved))
    }))
  })

  it("begins with its version and the key; all that follows is under the key by its place in the file", () => {
    const empty = { transactions: [], deltas: [], unbroadcast: [] }
    const mask = Uint8Array.of(1, 2, 4, 8, 16, 32, 64, 128)
    assert.strictEqual(hexOf(encodeMempoolFile(empty, undefined)), "010000000000000000000000000000000000")
    assert.strictEqual(
      hexOf(encodeMempoolFile(empty, mask)),
      "020000000000000008010204081020408002040810204080010204"
    )
  })

  it("that ends early yields the transactions before, and lists only whole", () => {
    fc.assert(fc.property(mempool, key, fc.nat(), (saved, mask, cut) => {
      const bytes = encodeMempoolFile(saved, mask)
      const decoded = decodeMempoolFile(bytes.subarray(0, cut % bytes.length))
      assert.isDefined(decoded.fault)
      const [all, some] = [shown(saved), shown(decoded)]
      assert.deepStrictEqual(some.transactions, all.transactions.slice(0, some.transactions.length))
      if (some.deltas.length > 0) assert.deepStrictEqual(some.deltas, all.deltas)
      assert.deepStrictEqual(some.unbroadcast, [])
    }))
  })

  it("of another version, or with another key, is not read", () => {
    const bytes = encodeMempoolFile({ transactions: [], deltas: [], unbroadcast: [] }, new Uint8Array(8))
    assert.strictEqual(decodeMempoolFile(Uint8Array.of(3, ...bytes.subarray(1))).fault, "its version is 3")
    assert.strictEqual(decodeMempoolFile(new Uint8Array(8).fill(255)).fault, `its version is ${2n ** 64n - 1n}`)
    bytes[8] = 7
    assert.strictEqual(decodeMempoolFile(bytes).fault, "its key is not of 8 bytes")
    assert.strictEqual(decodeMempoolFile(bytes.subarray(0, 12)).fault, "its key is not of 8 bytes")
    assert.strictEqual(decodeMempoolFile(new Uint8Array(7)).fault, "it ends before its version")
  })

  it("that claims endless transactions is read up to its end", () => {
    const bytes = encodeMempoolFile({ transactions: [], deltas: [], unbroadcast: [] }, undefined)
    bytes.fill(255, 8, 16)
    assert.include(decodeMempoolFile(bytes).fault, "ends early")
  })
})

const folder = recordingsFolder()

const recordedFiles = (): ReadonlyArray<Uint8Array> => {
  const rows = conversationAt(join(folder!, "mempool/mempool_persist.jsonl.gz"))!.rows
  const files = rows.flatMap(({ hex, op, path }) =>
    op === "file" && path?.endsWith("mempool.dat") === true && typeof hex === "string" ? [Buffer.from(hex, "hex")] : []
  )
  return [...files, execFileSync("tar", ["xzOf", join(folder!, "datadir/core_datadir_full_a.tar.gz"), "mempool.dat"])]
}

describe.skipIf(folder === undefined)("mempool.dat of Bitcoin Core", () => {
  it("is read and written to the same bytes", () => {
    const files = recordedFiles()
    assert.isAtLeast(files.length, 4)
    for (const bytes of files) {
      const decoded = decodeMempoolFile(bytes)
      assert.isUndefined(decoded.fault)
      assert.strictEqual(hexOf(encodeMempoolFile(decoded, bytes.subarray(9, 17))), hexOf(bytes))
    }
  })

  it("has the transactions, the deltas and the unbroadcast ones that it answered", () => {
    const { deltas, transactions, unbroadcast } = decodeMempoolFile(recordedFiles().at(-1)!)
    const display = (bytes: Uint8Array): string => hexOf(Uint8Array.from(bytes).reverse())
    const byTxid = new Map(transactions.map((each) => [display(transactionId(each.tx, testCrypto)), each]))
    assert.strictEqual(byTxid.size, 19)
    assert.strictEqual(unbroadcast.length, 19)
    assert.isTrue(unbroadcast.every((txid) => byTxid.has(display(txid))))
    const first = byTxid.get("7674a1f066b8ef42525a092d4b4ca5fa7b2edfb2b20cb6194a38920b0ae27668")
    assert.deepStrictEqual([first?.time, first?.feeDelta], [1_600_078_600, 11_000n])
    assert.deepStrictEqual(deltas.map(({ feeDelta, txid }) => [display(txid), feeDelta]), [["ab".repeat(32), 777n]])
  })
})
