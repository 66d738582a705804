import {
  checkFee,
  feeCeilingIsKept,
  relayMinimumIsPaid,
  rollingMinimumIsPaid
} from "@lockstep/kernel/internal/relay/minimum-fee.ts"
import { compareFeeRates, feeForSize, feePerKilobyte, modifiedFee } from "@lockstep/kernel/internal/relay/fee-rate.ts"
import { adjustedWeight, virtualSize } from "@lockstep/kernel/internal/relay/virtual-size.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyRate, anySize, realRate, setRate } from "../../arbitraries/relay.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/relay.ts"
import { verdictName } from "../../subject/kernel.ts"

const INT64 = 2n ** 63n
const amount = fc.bigInt({ min: -5_000n, max: 5_000n })
const delta = fc.oneof(amount, fc.constantFrom(INT64 - 1n, -INT64, INT64 - 5_000n, 4_000n - INT64))

describe("POL fees and sizes", () => {
  it("POL-020/P1 the value equals the statement", () =>
    check(
      fc.property(anyRate, anySize, (rate, size) => agree(feeForSize(rate, size), oracle.feeForSize(rate, size))),
      500
    ))

  it("POL-020/P2 the fee does not fall when the size grows", () =>
    check(
      fc.property(setRate, anySize, anySize, (rate, a, b) =>
        agree(feeForSize(rate, Math.min(a, b)) <= feeForSize(rate, Math.max(a, b)), true))
    ))

  it("POL-021/P1 the value equals the statement", () =>
    check(
      fc.property(anyRate, (rate) => {
        const wanted = rate.size <= 0 ? 0n : -oracle.ceiling(-rate.fee * 1000n, BigInt(rate.size))
        agree(feePerKilobyte(rate), wanted)
      }),
      400
    ))

  it("POL-022/P1 the value equals the statement", () =>
    check(
      fc.property(realRate, realRate, (a, b) => {
        const [left, right] = [a.fee * BigInt(b.size), b.fee * BigInt(a.size)]
        agree(compareFeeRates(a, b), left === right ? 0 : left < right ? -1 : 1)
      }),
      400
    ))

  it("POL-022/P2 the order is antisymmetric and transitive", () =>
    check(
      fc.property(realRate, realRate, realRate, (a, b, c) => {
        agree(compareFeeRates(a, b) + compareFeeRates(b, a), 0)
        if (compareFeeRates(a, b) <= 0 && compareFeeRates(b, c) <= 0) agree(compareFeeRates(a, c) <= 0, true)
      }),
      400
    ))

  it("POL-023/P1 the value equals the statement", () =>
    check(
      fc.property(fc.nat(400_000), fc.nat(20_000), fc.nat(40), (weight, cost, bytes) =>
        agree(adjustedWeight(weight, cost, bytes), weight > cost * bytes ? weight : cost * bytes))
    ))

  it("POL-024/P1 the value equals the statement", () =>
    check(
      fc.property(fc.nat(500_000), (weight) => agree(virtualSize(weight), Number(oracle.ceiling(BigInt(weight), 4n))))
    ))

  it("POL-025/P1 the value equals the statement", () =>
    check(
      fc.property(amount, delta, (fee, added) => {
        const sum = fee + added
        agree(modifiedFee(fee, added), sum >= INT64 ? INT64 - 1n : sum < -INT64 ? -INT64 : sum)
      })
    ))

  /** A fee next to what a rate asks for. */
  const near = fc.tuple(anyRate, anySize, fc.bigInt({ min: -2n, max: 2n })).map(([rate, size, off]) => ({
    rate,
    size,
    fee: oracle.feeForSize(rate, size) + off
  }))
  const poolHolds = (fee: bigint, asked: bigint): boolean => asked <= 0n || fee >= asked

  it("POL-026/P1 the verdict equals the statement", () =>
    check(
      fc.property(near, ({ fee, rate, size }) => {
        const holds = poolHolds(fee, oracle.feeForSize(rate, size))
        agree(verdictName(rollingMinimumIsPaid(fee, size, rate)), holds ? "OK" : "POL-026")
      }),
      400
    ))

  it("POL-027/P1 the verdict equals the statement", () =>
    check(
      fc.property(near, ({ fee, rate, size }) =>
        agree(
          verdictName(relayMinimumIsPaid(fee, size, rate)),
          fee >= oracle.feeForSize(rate, size) ? "OK" : "POL-027"
        )),
      400
    ))

  it("POL-027/P2 a fee that is enough stays enough when it grows", () =>
    check(
      fc.property(near, fc.nat(100), ({ fee, rate, size }, more) => {
        if (verdictName(relayMinimumIsPaid(fee, size, rate)) !== "OK") return
        agree(verdictName(relayMinimumIsPaid(fee + BigInt(more), size, rate)), "OK")
      })
    ))

  it("POL-028/P1 the verdict is that of the first rule that does not hold", () =>
    check(
      fc.property(near, anyRate, fc.boolean(), ({ fee, rate, size }, other, swap) => {
        const [rolling, relay] = swap ? [other, rate] : [rate, other]
        const wanted = oracle.firstBroken([
          ["POL-026", () => poolHolds(fee, oracle.feeForSize(rolling, size))],
          ["POL-027", () => fee >= oracle.feeForSize(relay, size)]
        ])
        agree(verdictName(checkFee(fee, size, rolling, relay)), wanted)
      }),
      400
    ))

  it("POL-029/P1 the verdict equals the statement", () =>
    check(
      fc.property(
        fc.option(setRate, { nil: undefined }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: -1, max: 1 }),
        (
          limit,
          size,
          off
        ) => {
          const fee = limit === undefined ? 1_000_000n : limit.fee * BigInt(size) / BigInt(limit.size) + BigInt(off)
          const above = limit !== undefined && fee * BigInt(limit.size) > limit.fee * BigInt(size)
          agree(verdictName(feeCeilingIsKept(fee, size, limit)), above ? "POL-029" : "OK")
        }
      ),
      400
    ))
})
