import { checkInputs } from "@lockstep/kernel/internal/tx/check-inputs.ts"
import {
  coinbaseIsMature,
  feeIsInRange,
  inputsAreAvailable,
  inputsCoverOutputs,
  inputValueIsInRange
} from "@lockstep/kernel/internal/tx/spending.ts"
import { isFinal } from "@lockstep/kernel/internal/tx/lock-time.ts"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyCoin, fewOutPoints, someCoins, spendingTransaction, transactionWithCoins } from "../../arbitraries/coins.ts"
import { edgeAmount, edgeUint32 } from "../../arbitraries/number.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/coins.ts"
import type { NaiveTransaction } from "../../oracles/transaction.ts"
import { kernelView } from "../../subject/chain.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const MAX_MONEY = 2_100_000_000_000_000n
const isMoney = (value: bigint): boolean => value >= 0n && value <= MAX_MONEY

/** Sequence numbers that are mostly final, and a lock time. */
const timedTransaction = fc.tuple(spendingTransaction, edgeUint32, fc.nat(3)).map((
  [tx, lockTime, final]
): NaiveTransaction => ({
  ...tx,
  lockTime,
  inputs: tx.inputs.map((input, i) => (i < final ? { ...input, sequence: 0xffffffff } : input))
}))

/** A height or time at the lock time or beside it, or any. */
const near = (lockTime: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(-1, 0, 1).map((by) => Math.max(0, lockTime + by)),
    edgeUint32
  )

const timed = timedTransaction.chain((tx) => fc.tuple(fc.constant(tx), near(tx.lockTime), near(tx.lockTime)))

const spendHeight = fc.oneof(fc.nat(300), edgeUint32)

const withOutputs = fc.tuple(transactionWithCoins(300), spendHeight, fc.nat(3)).map(([{ tx, coins }, height, easy]) => {
  // All but one in four pay what they can.
  const outputs = tx.outputs.map((output) => ({ ...output, value: output.value < 0n ? -output.value : output.value }))
  return { tx: easy > 0 ? { ...tx, outputs } : tx, coins, height }
})

describe("TXN and TXI what a transaction must be, given its place and its coins", () => {
  it("TXN-011/P1 the value equals the statement", () => {
    check(
      fc.property(
        timed,
        ([tx, height, cutoff]) =>
          agree(isFinal(kernelTransaction(tx), height, cutoff), oracle.isFinal(tx, height, cutoff))
      ),
      600
    )
  })

  it("TXN-011/P2 once final, final at every greater height and cutoff", () => {
    check(
      fc.property(timed, edgeUint32, edgeUint32, ([tx, height, cutoff], moreBlocks, moreTime) => {
        const kernel = kernelTransaction(tx)
        if (isFinal(kernel, height, cutoff)) assert(isFinal(kernel, height + moreBlocks, cutoff + moreTime))
      }),
      300
    )
  })

  it("TXI-001/P1 verdict and coins equal the statement", () => {
    check(
      fc.property(spendingTransaction, someCoins(), (tx, coins) => {
        const verdict = inputsAreAvailable(kernelTransaction(tx), kernelView(coins))
        const found = tx.inputs.map((input) => coins.get(oracle.prevoutKey(input)))
        agree(verdictName(verdict), found.includes(undefined) ? "TXI-001" : "OK")
        if (verdict._tag === "Success") agree(verdict.success, found)
      }),
      600
    )
  })

  it("TXI-001/P2 coins at other outpoints have no influence", () => {
    check(
      fc.property(spendingTransaction, someCoins(), (tx, coins) => {
        const spent = new Set(tx.inputs.map(oracle.prevoutKey))
        const others = new Map([...coins].filter(([key]) => spent.has(key)))
        agree(
          inputsAreAvailable(kernelTransaction(tx), kernelView(coins)),
          inputsAreAvailable(kernelTransaction(tx), kernelView(others))
        )
      })
    )
  })

  const ripening = fc
    .tuple(
      anyCoin(),
      fewOutPoints,
      fc.oneof(fc.constantFrom(98, 99, 100, 101), fc.integer({ min: -5, max: 0x7fffffff }))
    )
    .map(([coin, prevout, depth]) => ({ coin, prevout, height: Math.max(0, coin.height + depth) }))

  it("TXI-002/P1 the verdict equals the statement", () => {
    check(
      fc.property(ripening, ({ coin, prevout, height }) =>
        agree(
          verdictName(coinbaseIsMature(coin, prevout, height)),
          !coin.isCoinbase || height - coin.height >= 100 ? "OK" : "TXI-002"
        )),
      400
    )
  })

  it("TXI-002/P2 a coin that can be spent at one height can be spent at every greater one", () => {
    check(
      fc.property(ripening, edgeUint32, ({ coin, prevout, height }, more) => {
        if (verdictName(coinbaseIsMature(coin, prevout, height)) !== "OK") return
        agree(verdictName(coinbaseIsMature(coin, prevout, height + more)), "OK")
      })
    )
  })

  it("TXI-003/P1 the verdict equals the statement", () => {
    check(
      fc.property(edgeAmount, fc.oneof(fc.constant(0n), edgeAmount), (value, before) => {
        const total = value + before
        agree(verdictName(inputValueIsInRange(value, total)), isMoney(value) && total <= MAX_MONEY ? "OK" : "TXI-003")
      }),
      400
    )
  })

  it("TXI-004/P1 the verdict equals the statement", () => {
    const sums = fc
      .tuple(edgeAmount, fc.oneof(fc.constantFrom(-1n, 0n, 1n), edgeAmount))
      .map(([paid, more]) => [paid + more, paid] as const)
    check(
      fc.property(
        sums,
        ([has, paid]) => agree(verdictName(inputsCoverOutputs(has, paid)), has >= paid ? "OK" : "TXI-004")
      )
    )
  })

  it("TXI-005/P1 the verdict equals the statement", () => {
    check(fc.property(edgeAmount, (fee) => agree(verdictName(feeIsInRange(fee)), isMoney(fee) ? "OK" : "TXI-005")))
  })

  it("TXI-006/P1 the verdict, the rule it names and the fee equal the statement", () => {
    check(
      fc.property(
        fc.oneof(
          withOutputs,
          fc.tuple(transactionWithCoins(300), spendHeight).map(([made, height]) => ({ ...made, height }))
        ),
        ({ tx, coins, height }) => {
          const verdict = checkInputs(kernelTransaction(tx), coins, height)
          const expected = oracle.checkInputs(tx, coins, height)
          agree(verdict._tag === "Success" ? verdict.success : verdict.failure.rule, expected)
        }
      ),
      800
    )
  })

  it("TXI-006/P2 values in are values out and a fee that is not negative", () => {
    check(
      fc.property(withOutputs, ({ tx, coins, height }) => {
        const verdict = checkInputs(kernelTransaction(tx), coins, height)
        if (verdict._tag === "Failure") return
        const total = coins.reduce((sum, coin) => sum + coin.value, 0n)
        assert(verdict.success >= 0n)
        agree(total, oracle.valueOut(tx) + verdict.success)
      }),
      300
    )
  })
})
