import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { decodeHeader } from "@lockstep/kernel/internal/model/header.ts"
import { decodeTransaction } from "@lockstep/kernel/internal/model/transaction-codec.ts"
import { assert, describe, it } from "vitest"
import { serializeBlock } from "../oracles/block.ts"
import { join } from "../oracles/byte-string.ts"
import { serializeTransaction, serializeWithoutWitness } from "../oracles/transaction.ts"
import { blockOf, coinbaseOf, inputOf } from "../sequence/make-block.ts"
import { EASIEST_BITS, GENESIS_TIME } from "../sequence/network.ts"
import { verdictName } from "../subject/kernel.ts"
import { idOf, plainTransaction, TRUE } from "./made.ts"

const BLOCK = blockOf({ version: 4, previous: idOf(0), time: GENESIS_TIME, bits: EASIEST_BITS }, [
  coinbaseOf(1, [{ value: 1n, script: TRUE }], TRUE)
])

describe("bugs there were in codecs", () => {
  it("libbitcoin-system #1860 a compact size longer than it needs to be is refused", () => {
    const bytes = serializeWithoutWitness(plainTransaction())
    assert.strictEqual(verdictName(decodeTransaction(bytes)), "OK")
    for (const count of [[0xfd, 1, 0], [0xfe, 1, 0, 0, 0], [0xff, 1, 0, 0, 0, 0, 0, 0, 0]]) {
      assert.strictEqual(
        verdictName(decodeTransaction(join(bytes.subarray(0, 4), count, bytes.subarray(5)))),
        "SER-001"
      )
    }
  })

  it("btcd 41d537d8 nothing may follow a transaction, a block or a header", () => {
    const withWitness = plainTransaction({ inputs: [{ ...inputOf(idOf(1), 0), witness: [TRUE] }] })
    for (const tx of [plainTransaction(), withWitness]) {
      assert.strictEqual(verdictName(decodeTransaction(serializeTransaction(tx))), "OK")
      assert.strictEqual(verdictName(decodeTransaction(join(serializeTransaction(tx), [0]))), "SER-004")
    }
    assert.strictEqual(verdictName(decodeBlock(serializeBlock(BLOCK))), "OK")
    assert.strictEqual(verdictName(decodeBlock(join(serializeBlock(BLOCK), [0]))), "SER-004")
    assert.strictEqual(verdictName(decodeHeader(join(BLOCK.header, [0]))), "SER-020")
  })

  it("btcd CVE-2022-44797 a witness item may be longer than any element of a stack", () => {
    const tx = plainTransaction({ inputs: [{ ...inputOf(idOf(1), 0), witness: [new Uint8Array(1_000_000), TRUE] }] })
    const decoded = decodeTransaction(serializeTransaction(tx))
    assert(decoded._tag === "Success")
    assert.strictEqual(decoded.success.inputs[0]!.witness[0]!.length, 1_000_000)
  })
})
