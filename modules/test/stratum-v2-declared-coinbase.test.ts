import { assert, describe, it } from "vitest"
import { declaredCoinbase } from "../stratum-v2/src/job-declaration/declared-coinbase.ts"
import { openKnownTransactions, transactionFrom } from "../stratum-v2/src/job-declaration/known-transactions.ts"
import { ANYONE, coinbase, EXTRANONCE, outputsFor, spend } from "./stratum-v2-coinbase.ts"

const payments = [1, 2].map((value) => spend(Buffer.alloc(32, value), value))
const COINBASE = coinbase({ height: 100, outputs: outputsFor(payments, 5_000_000_000, ANYONE) })

describe("a declared coinbase", () => {
  /** What a coinbase is declared as whose extranonce begins at so many bytes. */
  const around = (whole: Buffer, at: number) =>
    declaredCoinbase(
      { prefix: new Uint8Array(whole.subarray(0, at)), suffix: new Uint8Array(whole.subarray(at + EXTRANONCE)) },
      ANYONE
    )
  const witnessed = Buffer.concat([COINBASE.prefix, Buffer.alloc(EXTRANONCE), COINBASE.suffix])
  const stripped = Buffer.concat([
    witnessed.subarray(0, 4),
    witnessed.subarray(6, -4 - 34),
    witnessed.subarray(-4)
  ])

  it("is kept without its witness, whether it has one or not", () => {
    const parts = {
      before: new Uint8Array(stripped.subarray(0, 44)),
      after: new Uint8Array(stripped.subarray(44 + EXTRANONCE))
    }
    assert.deepStrictEqual(around(stripped, 44), parts)
    assert.deepStrictEqual(around(witnessed, 46), parts)
  })

  it("has the extranonce within its script, from the first byte to the last", () => {
    const outcome = (whole: Buffer, at: number) => typeof around(whole, at) === "string" ? "refused" : "taken"
    assert.deepStrictEqual([41, 42, 44, 45].map((at) => outcome(stripped, at)), [
      "refused",
      "taken",
      "taken",
      "refused"
    ])
    assert.deepStrictEqual([43, 44, 46, 47].map((at) => outcome(witnessed, at)), [
      "refused",
      "taken",
      "taken",
      "refused"
    ])
  })

  it("has no extranonce in place of the zeros that precede the script", () => {
    for (const [whole, at] of [[stripped, 5], [stripped, 20], [witnessed, 10]] as const) {
      assert.deepStrictEqual([...whole.subarray(at, at + EXTRANONCE)], Array(EXTRANONCE).fill(0))
      assert.strictEqual(around(whole, at), "coinbase_tx_prefix")
    }
  })

  it("spends no output", () => {
    const { data } = payments[0]!
    const prefix = new Uint8Array(data.subarray(0, 12))
    const suffix = new Uint8Array(data.subarray(12 + EXTRANONCE))
    assert.strictEqual(declaredCoinbase({ prefix, suffix }, ANYONE), "coinbase_tx_prefix")
  })
})

describe("the transactions that clients need not send", () => {
  it("are those of this tip and the one before", () => {
    const known = openKnownTransactions()
    const [first, second] = payments
    known.add([first!])
    known.turn()
    known.add([second!])
    assert.deepStrictEqual([known.find(first!.wtxid), known.find(second!.wtxid)], [first, second])
    known.turn()
    assert.deepStrictEqual([known.find(first!.wtxid), known.find(second!.wtxid)], [undefined, second])
  })

  it("are 50,000 of a tip at most", () => {
    const known = openKnownTransactions()
    const many = Array.from({ length: 50_001 }, (_, i) => {
      const wtxid = Buffer.alloc(32)
      wtxid.writeUInt32LE(i)
      return { data: wtxid, txid: wtxid, wtxid }
    })
    known.add(many)
    assert.deepStrictEqual([known.find(many[49_999]!.wtxid), known.find(many[50_000]!.wtxid)], [
      many[49_999],
      undefined
    ])
  })

  it("have their ids from their bytes, without the witness and with it", () => {
    const { data, txid, wtxid } = payments[0]!
    const read = transactionFrom(new Uint8Array(data))!
    assert.deepStrictEqual([Buffer.from(read.txid), Buffer.from(read.wtxid)], [txid, wtxid])
    assert.isUndefined(transactionFrom(new Uint8Array(data.subarray(1))))
  })
})
