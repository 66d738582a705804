import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hexOf } from "../../../../src/hex.ts"
import { idOf } from "../loose-transactions.ts"
import { testAcceptance } from "../mempool-context.ts"
import { failed, FREE, MISSING, observed, passed, policy, spend } from "./observed.ts"
import { COIN, output, pay, withCoins } from "./payments.ts"

const started = Effect.gen(function*() {
  const { coins: [a, b], engine } = yield* withCoins(2)
  const { acceptance, announced, context: { state } } = testAcceptance(engine)
  return { a: a!, b: b!, accept: acceptance.acceptAncestorPackage, announced, count: () => state.totals().count }
})

describe("an ancestor package", () => {
  it.live("has the last transaction pay for a chain of ancestors that pay nothing", () =>
    Effect.gen(function*() {
      const { a, accept, announced } = yield* started
      const first = spend([a], COIN, 0n)
      const second = spend([output(first)], COIN, 0n)
      const third = spend([output(second)], COIN, 0n)
      const last = spend([output(third)], COIN, 9_000n)
      const all = [first, second, third, last]
      const outcome = yield* accept(all, undefined)
      assert.deepStrictEqual(observed(outcome), passed("Accepted", "Accepted", "Accepted", "Accepted"))
      assert.deepStrictEqual(announced, all.map((tx) => `added ${hexOf(idOf(tx))}`))
      const [paid] = outcome.outcomes
      assert.strictEqual(paid?._tag === "Accepted" && paid.feerate.fee, 9_000n)
    }))

  it.live("has two branches paid for by the transaction that joins them", () =>
    Effect.gen(function*() {
      const { a, accept, b } = yield* started
      const left = spend([a], COIN, 0n)
      const right = spend([b], COIN, 0n)
      const above = spend([output(right)], COIN, 0n)
      const last = spend([output(left), output(above)], 2n * COIN, 9_000n)
      assert.deepStrictEqual(
        observed(yield* accept([left, right, above, last], undefined)),
        passed("Accepted", "Accepted", "Accepted", "Accepted")
      )
    }))

  it.live("has no ancestor pay for the last transaction", () =>
    Effect.gen(function*() {
      const { a, accept, count } = yield* started
      const free = spend([a], COIN, 0n)
      const rich = spend([output(free)], COIN, 9_000n)
      const last = spend([output(rich)], COIN - 9_000n, 0n)
      const outcome = observed(yield* accept([free, rich, last], undefined))
      assert.deepStrictEqual(outcome, failed("transaction failed", "Accepted", "Accepted", FREE))
      assert.strictEqual(count(), 2)
    }))

  it.live("that pays too little together stays out, as does one with a missing ancestor", () =>
    Effect.gen(function*() {
      const { a, accept, count } = yield* started
      const free = spend([a], COIN, 0n)
      const next = spend([output(free)], COIN, 0n)
      const poor = spend([output(next)], COIN, 10n)
      const [first, second, third] = observed(yield* accept([free, next, poor], undefined)).outcomes
      assert.strictEqual(first, FREE)
      assert.include(second, "min relay fee not met")
      assert.include(third, "min relay fee not met")
      const rich = spend([output(next)], COIN, 9_000n)
      assert.deepStrictEqual(
        observed(yield* accept([next, rich], undefined)),
        failed("transaction failed", MISSING, MISSING)
      )
      assert.strictEqual(count(), 0)
    }))

  it.live("ends with the first member that fails for good, alone or together", () =>
    Effect.gen(function*() {
      const { a, accept, b, count } = yield* started
      const wrong = pay({ from: [a], to: [COIN], version: 4 })
      const after = spend([b], COIN, 0n)
      const last = spend([output(wrong), output(after)], 2n * COIN, 9_000n)
      assert.deepStrictEqual(
        observed(yield* accept([wrong, after, last], undefined)),
        failed("transaction failed", "version [not standard]", "not judged", "not judged")
      )
      const free = spend([a], COIN, 0n)
      const forged = pay({ from: [{ ...output(free), script: Uint8Array.of(0x01, 0x52) }], to: [COIN - 5_000n] })
      const heir = spend([output(forged)], COIN - 5_000n, 9_000n)
      const outcome = observed(yield* accept([free, forged, heir], undefined))
      assert.strictEqual(outcome.outcomes[0], FREE)
      assert.include(outcome.outcomes[1], "script-verify-flag-failed")
      assert.strictEqual(outcome.outcomes[2], "not judged")
      assert.strictEqual(count(), 0)
    }))

  it.live("is refused for its shape", () =>
    Effect.gen(function*() {
      const { a, accept } = yield* started
      const first = spend([a], COIN, 1_000n)
      const child = spend([output(first)], COIN - 1_000n, 1_000n)
      const unsorted = policy("package-not-sorted", undefined, "not judged", "not judged")
      assert.deepStrictEqual(observed(yield* accept([child, first], undefined)), unsorted)
      const twice = policy("conflict-in-package", undefined, "not judged", "not judged")
      assert.deepStrictEqual(observed(yield* accept([first, spend([a], COIN, 2_000n)], undefined)), twice)
    }))
})
