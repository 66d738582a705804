import { checkTransaction } from "@lockstep/kernel/internal/tx/check-transaction.ts"
import { isFinal } from "@lockstep/kernel/internal/tx/lock-time.ts"
import { sequenceLocks, sequenceLocksArePassed } from "@lockstep/kernel/internal/tx/sequence-locks.ts"
import { assert, describe, it } from "vitest"
import { inputOf } from "../sequence/make-block.ts"
import { kernelTransaction, kernelVerdict, verdictName } from "../subject/kernel.ts"
import { chainOf, idOf, NOTHING, plainTransaction, spendOf, TRUE } from "./made.ts"
import type { NaiveTransaction } from "../oracles/transaction.ts"

const verdictOn = (tx: NaiveTransaction): string => verdictName(checkTransaction(kernelTransaction(tx)))
const paying = (...values: ReadonlyArray<bigint>): NaiveTransaction =>
  plainTransaction({ outputs: values.map((value) => ({ value, script: TRUE })) })

describe("bugs there were in transactions", () => {
  it("CVE-2010-5139 two outputs whose sum overflows 64 bits are not small change", () => {
    assert.strictEqual(verdictOn(paying(9_223_372_036_854_277_039n, 9_223_372_036_854_277_039n)), "TXN-005")
    assert.strictEqual(verdictOn(paying(2_100_000_000_000_000n, 1n)), "TXN-006")
    assert.strictEqual(verdictOn(paying(2_100_000_000_000_000n, 0n)), "OK")
    assert.strictEqual(verdictOn(paying(-1n)), "TXN-004")
  })

  it("CVE-2018-17144 a transaction that spends one output twice is refused by itself", () => {
    const [a, b] = [inputOf(idOf(1), 0), inputOf(idOf(2), 0)]
    assert.strictEqual(verdictOn(plainTransaction({ inputs: [a, b, a] })), "TXN-007")
    assert.strictEqual(verdictOn(plainTransaction({ inputs: [a, b] })), "OK")
  })

  it.each([0x80000002, 0xffffffff])(
    "btcd CVE-2024-34478 version %i is not negative: BIP68 and BIP112 look at it",
    (version) => {
      const parent = chainOf(20)
      const tx = plainTransaction({ version, inputs: [{ ...inputOf(idOf(1), 0), sequence: 5 }] })
      const coin = { value: 1n, script: TRUE, height: 18, isCoinbase: false }
      const locks = sequenceLocks(kernelTransaction(tx), [coin], parent)
      assert.deepStrictEqual(locks, { height: 22, time: -1 })
      assert.strictEqual(verdictName(sequenceLocksArePassed(locks, parent)), "TXI-008")
      const spend = spendOf(NOTHING, Uint8Array.of(0x54, 0xb2))
      assert.strictEqual(kernelVerdict({ ...spend, tx }), "OK")
      assert.strictEqual(kernelVerdict({ ...spend, tx: { ...tx, version: 1 } }), "OPC-178 UNSATISFIED_LOCKTIME")
    }
  )

  it("Floresta d920bbdc a lock time of the block's own height or of the cutoff is not passed yet", () => {
    const locked = (lockTime: number, sequence: number) =>
      kernelTransaction(plainTransaction({ lockTime, inputs: [{ ...inputOf(idOf(1), 0), sequence }] }))
    assert.isFalse(isFinal(locked(100, 0), 100, 0))
    assert.isTrue(isFinal(locked(99, 0), 100, 0))
    assert.isFalse(isFinal(locked(1_500_000_000, 0), 100, 1_500_000_000))
    assert.isTrue(isFinal(locked(1_500_000_000, 0), 100, 1_500_000_001))
    assert.isTrue(isFinal(locked(100, 0xffffffff), 100, 0))
    assert.isFalse(isFinal(locked(499_999_999, 0), 100, 1_500_000_000))
  })

  it("blvm 26933d0 a transaction may have as many inputs as fit", () => {
    const inputs = Array.from({ length: 20_000 }, (_, i) => inputOf(idOf(1), i))
    assert.strictEqual(verdictOn(plainTransaction({ inputs })), "OK")
    assert.strictEqual(verdictOn(plainTransaction({ inputs: [...inputs, inputs[7]!] })), "TXN-007")
  })
})
