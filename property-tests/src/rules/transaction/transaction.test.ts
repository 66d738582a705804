import { checkTransaction } from "@lockstep/kernel/internal/tx/check-transaction.ts"
import { inputsAreDistinct, inputsExist, prevoutsAreNotNull } from "@lockstep/kernel/internal/tx/inputs.ts"
import {
  outputsExist,
  outputTotalIsInRange,
  outputValueIsInRange,
  outputValueIsNotNegative
} from "@lockstep/kernel/internal/tx/outputs.ts"
import { coinbaseScriptSize, strippedSizeFitsBlock } from "@lockstep/kernel/internal/tx/size.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { edgeAmount } from "../../arbitraries/number.ts"
import { doubtfulTransaction, witnessStack } from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/check-transaction.ts"
import { toHex } from "../../oracles/byte-string.ts"
import { isCoinbase } from "../../oracles/sigops.ts"
import {
  type NaiveInput,
  type NaiveTransaction,
  serializeOutPoint,
  serializeWithoutWitness
} from "../../oracles/transaction.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const REASONS: Readonly<Record<string, string>> = {
  "bad-txns-vin-empty": "TXN-001",
  "bad-txns-vout-empty": "TXN-002",
  "bad-txns-oversize": "TXN-003",
  "bad-txns-vout-negative": "TXN-004",
  "bad-txns-vout-toolarge": "TXN-005",
  "bad-txns-txouttotal-toolarge": "TXN-006",
  "bad-txns-inputs-duplicate": "TXN-007",
  "bad-cb-length": "TXN-008",
  "bad-txns-prevout-null": "TXN-009"
}

/** One script filled up so that the stripped size is exactly `size`. */
const ofStrippedSize = (tx: NaiveTransaction, size: number): NaiveTransaction => {
  const withScript = (length: number): NaiveTransaction => ({
    ...tx,
    inputs: tx.inputs.map((input, i) => (i === 0 ? { ...input, script: new Uint8Array(length) } : input))
  })
  const guess = withScript(size)
  return withScript(2 * size - serializeWithoutWitness(guess).length)
}

const large: Arbitrary<NaiveTransaction> = fc
  .tuple(
    doubtfulTransaction.filter((tx) => tx.inputs.length > 0),
    fc.integer({ min: 999_997, max: 1_000_003 })
  )
  .map(([tx, size]) => ofStrippedSize(tx, size))
const isNull = (input: NaiveInput): boolean => input.vout === 0xffffffff && input.txid.every((byte) => byte === 0)
const isTwice = (tx: NaiveTransaction): boolean =>
  new Set(tx.inputs.map((input) => toHex(serializeOutPoint(input)))).size < tx.inputs.length

describe("TXN transactions on their own", () => {
  it("TXN-001/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        doubtfulTransaction,
        (tx) => agree(verdictName(inputsExist(kernelTransaction(tx))), tx.inputs.length > 0 ? "OK" : "TXN-001")
      )
    )
  })

  it("TXN-002/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        doubtfulTransaction,
        (tx) => agree(verdictName(outputsExist(kernelTransaction(tx))), tx.outputs.length > 0 ? "OK" : "TXN-002")
      )
    )
  })

  it("TXN-003/P1 the verdict equals the statement", () => {
    check(
      fc.property(fc.oneof(large, doubtfulTransaction), (tx) =>
        agree(
          verdictName(strippedSizeFitsBlock(kernelTransaction(tx))),
          4 * serializeWithoutWitness(tx).length <= 4_000_000 ? "OK" : "TXN-003"
        )),
      60
    )
  })

  it("TXN-004/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        edgeAmount,
        (value) => agree(verdictName(outputValueIsNotNegative(value)), value >= 0n ? "OK" : "TXN-004")
      )
    )
  })

  it("TXN-005/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        edgeAmount,
        (value) => agree(verdictName(outputValueIsInRange(value)), value <= 2_100_000_000_000_000n ? "OK" : "TXN-005")
      )
    )
  })

  it("TXN-006/P1 the verdict equals the statement", () => {
    const sums = fc.array(
      edgeAmount.filter((value) => value >= 0n && value <= 2_100_000_000_000_000n),
      { maxLength: 4 }
    )
    check(
      fc.property(sums, (values) => {
        const total = values.reduce((sum, value) => sum + value, 0n)
        agree(verdictName(outputTotalIsInRange(total)), total <= 2_100_000_000_000_000n ? "OK" : "TXN-006")
      })
    )
  })

  it("TXN-007/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        doubtfulTransaction,
        (tx) => agree(verdictName(inputsAreDistinct(kernelTransaction(tx))), isTwice(tx) ? "TXN-007" : "OK")
      ),
      400
    )
  })

  it("TXN-007/P2 the order of the inputs has no influence", () => {
    const shuffled = doubtfulTransaction.chain((tx) =>
      fc.tuple(fc.constant(tx), fc.shuffledSubarray([...tx.inputs], { minLength: tx.inputs.length }))
    )
    check(
      fc.property(shuffled, ([tx, inputs]) =>
        agree(
          verdictName(inputsAreDistinct(kernelTransaction({ ...tx, inputs }))),
          verdictName(inputsAreDistinct(kernelTransaction(tx)))
        ))
    )
  })

  it("TXN-008/P1 the verdict equals the statement", () => {
    check(
      fc.property(doubtfulTransaction.filter(isCoinbase), (tx) => {
        const size = tx.inputs[0]!.script.length
        agree(verdictName(coinbaseScriptSize(kernelTransaction(tx))), size >= 2 && size <= 100 ? "OK" : "TXN-008")
      })
    )
  })

  it("TXN-009/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        doubtfulTransaction.filter((tx) => !isCoinbase(tx)),
        (tx) => agree(verdictName(prevoutsAreNotNull(kernelTransaction(tx))), tx.inputs.some(isNull) ? "TXN-009" : "OK")
      )
    )
  })

  it("TXN-010/P1 the verdict and the rule it names equal the statement", () => {
    check(
      fc.property(doubtfulTransaction, (tx) => {
        const reason = oracle.checkTransaction(tx)
        agree(verdictName(checkTransaction(kernelTransaction(tx))), reason === undefined ? "OK" : REASONS[reason])
      }),
      600
    )
    check(
      fc.property(large, (tx) => {
        const reason = oracle.checkTransaction(tx)
        agree(verdictName(checkTransaction(kernelTransaction(tx))), reason === undefined ? "OK" : REASONS[reason])
      }),
      20
    )
  })

  it("TXN-010/P2 the witness has no influence on the verdict", () => {
    check(
      fc.property(doubtfulTransaction, witnessStack, (tx, witness) => {
        const other = { ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness })) }
        agree(
          verdictName(checkTransaction(kernelTransaction(tx))),
          verdictName(checkTransaction(kernelTransaction(other)))
        )
      })
    )
  })
})
