import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import * as acceptance from "@lockstep/kernel/internal/relay/acceptance.ts"
import { isFinalOnTip, sequenceLocksPassOnTip } from "@lockstep/kernel/internal/relay/next-block.ts"
import { DEFAULT_RELAY_POLICY } from "@lockstep/kernel/internal/relay/relay-policy.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { chainIn, forwardTree } from "../../arbitraries/header-tree.ts"
import { pushingSpend, relayedTransaction } from "../../arbitraries/relay.ts"
import { doubtfulTransaction } from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import { checkTransaction } from "../../oracles/check-transaction.ts"
import { checkInputs, isFinal, locksHaveRunOut, type NaiveCoin, valueOut } from "../../oracles/coins.ts"
import { medianTimePast, type NaiveChain } from "../../oracles/header.ts"
import * as oracle from "../../oracles/relay.ts"
import { isCoinbase, sigOpCost } from "../../oracles/sigops.ts"
import { type NaiveTransaction, transactionWeight } from "../../oracles/transaction.ts"
import { kernelChain } from "../../subject/chain.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const LENGTH = 24
const machine = createMachine(nobleCrypto)
const chain = chainIn(forwardTree(LENGTH))
const isFinalNext = (tx: NaiveTransaction, on: NaiveChain): boolean => isFinal(tx, on.length, medianTimePast(on))

const policy = fc.boolean().map((requireStandard) => ({ ...DEFAULT_RELAY_POLICY, requireStandard }))

const spend = fc
  .tuple(
    pushingSpend,
    fc.array(fc.tuple(fc.nat(LENGTH + 1), fc.constantFrom(false, false, false, true)), { minLength: 3, maxLength: 3 }),
    chain
  )
  .map(([[tx, spent], ages, on]) => ({
    tx,
    on,
    coins: spent.map((output, i): NaiveCoin => ({
      ...output,
      height: ages[i]![0] % (on.length + 1),
      isCoinbase: ages[i]![1]
    }))
  }))

/** A lock time near the tip of a chain, so that both answers come up. */
const timed = (on: NaiveChain): Arbitrary<number> =>
  fc.tuple(fc.boolean(), fc.integer({ min: -2, max: 2 })).map(([isTime, off]) =>
    Math.max(0, (isTime ? medianTimePast(on) : on.length) + off)
  )

const timedSpend = fc.tuple(relayedTransaction, chain).chain(([tx, on]) =>
  timed(on).map((lockTime) => ({ tx: { ...tx, lockTime }, on }))
)

describe("POL the next block and acceptance", () => {
  it("POL-075/P1 the verdict equals the statement", () =>
    check(
      fc.property(timedSpend, ({ tx, on }) =>
        agree(
          verdictName(isFinalOnTip(kernelTransaction(tx), kernelChain(on))),
          isFinalNext(tx, on) ? "OK" : "POL-075"
        )),
      400
    ))

  it("POL-076/P1 the verdict equals the statement", () =>
    check(
      fc.property(
        chain,
        fc.integer({ min: -2, max: 2 }),
        fc.integer({ min: -2, max: 2 }),
        fc.boolean(),
        (on, a, b, timeless) => {
          const median = medianTimePast(on)
          const locks = { height: on.length + a, time: timeless ? -1 : Math.max(-1, median + b) }
          const holds = locks.height < on.length && locks.time < median
          agree(verdictName(sequenceLocksPassOnTip(locks, kernelChain(on))), holds ? "OK" : "POL-076")
        }
      ),
      300
    ))

  it("POL-150/P1 the verdict is that of the first rule that does not hold", () => {
    const transactions = fc.oneof(
      { weight: 4, arbitrary: timedSpend },
      { weight: 1, arbitrary: fc.tuple(doubtfulTransaction, chain).map(([tx, on]) => ({ tx, on })) }
    )
    check(
      fc.property(transactions, policy, ({ on, tx }, set) => {
        const itself = checkTransaction(tx)
        const wanted = itself !== undefined ? "TXN" : oracle.firstBroken([
          ["POL-043", () => !isCoinbase(tx)],
          ...(set.requireStandard ? oracle.standardRules(tx, set) : []),
          ["POL-042", () => oracle.strippedSize(tx) >= 65],
          ["POL-075", () => isFinalNext(tx, on)]
        ])
        const found = verdictName(acceptance.checkBeforeCoins(kernelTransaction(tx), kernelChain(on), set))
        agree(found.startsWith("TXN") ? "TXN" : found, wanted)
      }),
      800
    )
  })

  it("POL-151/P1 the verdict is that of the first rule that does not hold", () =>
    check(
      fc.property(spend, policy, ({ coins, on, tx }, set) => {
        const fee = checkInputs(tx, coins, on.length)
        const wanted = oracle.firstBroken([
          ["POL-076", () => locksHaveRunOut(tx, coins, on)],
          ["TXI", () => typeof fee === "bigint"],
          ...(set.requireStandard ? [...oracle.inputFormRules(tx, coins), ...oracle.witnessRules(tx, coins)] : [])
        ])
        const verdict = acceptance.checkWithCoins(machine, kernelTransaction(tx), coins, kernelChain(on), set)
        const found = verdictName(verdict)
        agree(found.startsWith("TXI") ? "TXI" : found, wanted)
        if (verdict._tag === "Success") agree(verdict.success, fee)
      }),
      1_200
    ))

  it("POL-152/P1 the value equals the statement", () =>
    check(
      fc.property(spend, fc.bigInt({ min: -500n, max: 500n }), ({ coins, tx }, delta) => {
        const fee = coins.reduce((total, { value }) => total + value, 0n) - valueOut(tx)
        const weight = transactionWeight(tx)
        const cost = sigOpCost(tx, coins, new Set(["P2SH", "WITNESS"]))
        const adjusted = weight > cost * 20 ? weight : cost * 20
        agree(acceptance.appraise(kernelTransaction(tx), coins, fee, delta, DEFAULT_RELAY_POLICY), {
          fee,
          modifiedFee: fee + delta,
          weight,
          sigOpCost: cost,
          adjustedWeight: adjusted,
          size: Number(oracle.ceiling(BigInt(adjusted), 4n)),
          dust: oracle.dustOf(tx, { fee: 3000n, size: 1000 })
        })
      }),
      400
    ))

  it("POL-153/P1 the verdict is that of the first rule that does not hold", () => {
    const amount = fc.bigInt({ min: 0n, max: 40n })
    const figures = fc.record({
      fee: fc.oneof(fc.constant(0n), amount),
      modifiedFee: fc.oneof(fc.constant(0n), amount),
      sigOpCost: fc.constantFrom(0, 16_000, 16_001),
      size: fc.integer({ min: 60, max: 400 }),
      dust: fc.constantFrom<ReadonlyArray<number>>([], [], [0])
    })
    const way = fc.record({
      rollingMinimum: fc.constantFrom({ fee: 0n, size: 1000 }, { fee: 150n, size: 1000 }),
      bypassLimits: fc.boolean(),
      packageFees: fc.boolean()
    })
    check(
      fc.property(figures, way, policy, (given, admission, set) => {
        const asked = !admission.bypassLimits && !admission.packageFees
        const wanted = oracle.firstBroken([
          [
            "POL-080",
            () => !set.requireStandard || given.dust.length === 0 || (given.fee === 0n && given.modifiedFee === 0n)
          ],
          ["POL-070", () => given.sigOpCost <= 16_000],
          ["POL-026", () => !asked || given.modifiedFee >= oracle.feeForSize(admission.rollingMinimum, given.size)],
          ["POL-027", () => !asked || given.modifiedFee >= oracle.feeForSize({ fee: 100n, size: 1000 }, given.size)]
        ])
        const appraisal = { ...given, weight: 4 * given.size, adjustedWeight: 4 * given.size }
        agree(verdictName(acceptance.checkAppraisal(appraisal, admission, set)), wanted)
      }),
      800
    )
  })
})
