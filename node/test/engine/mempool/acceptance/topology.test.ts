import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { hexOf } from "../../../../src/hex.ts"
import { idOf } from "../loose-transactions.ts"
import { testAcceptance } from "../mempool-context.ts"
import { COIN, output, pay, said, withCoins } from "./payments.ts"
import { failed, FREE, named, passed, policy, shown, spend, observed } from "./observed.ts"

describe("dust", () => {
  it.live("comes without a fee in a package, and its child spends all of it", () =>
    Effect.gen(function*() {
      const { coins: [a, b], engine } = yield* withCoins(2)
      const { acceptance, context: { state } } = testAcceptance(engine)
      const dusty = pay({ from: [a!], to: [COIN, 0n] })
      const lazy = spend([output(dusty)], COIN, 3_000n)
      const left = (tx: Transaction) =>
        `missing-ephemeral-spends | ${named(tx)} did not spend parent's ephemeral dust [mempool policy]`
      const free = FREE.replace("9", "12")
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([dusty, lazy], undefined)),
        failed("unspent-dust", free, left(lazy))
      )
      const tidy = spend([output(dusty), output(dusty, 1)], COIN, 3_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([dusty, tidy], undefined)),
        passed("Accepted", "Accepted")
      )
      const replacing = spend([output(dusty), b!], 2n * COIN, 90_000n)
      assert.strictEqual(said(yield* acceptance.accept(replacing)), left(replacing))
      assert.strictEqual(state.totals().count, 2)
    }))
})

describe("version 3", () => {
  const v3 = { version: 3 }

  it.live("is restricted by itself", () =>
    Effect.gen(function*() {
      const { coins: [a, b, c], engine } = yield* withCoins(3)
      const { acceptance } = testAcceptance(engine)
      const parent = spend([a!], COIN, 1_000n, { ...v3, to: [COIN / 2n, COIN / 2n - 1_000n] })
      const plain = spend([b!], COIN, 1_000n)
      for (const tx of [parent, plain]) assert.strictEqual(said(yield* acceptance.accept(tx)), "Accepted")
      const refused = (debug: string) => `TRUC-violation | ${debug} [mempool policy]`
      const heir = spend([output(parent)], COIN / 2n, 1_000n)
      assert.strictEqual(
        said(yield* acceptance.accept(heir)),
        refused(`non-version=3 ${named(heir)} cannot spend from version=3 ${named(parent)}`)
      )
      const fromPlain = spend([output(plain)], COIN - 1_000n, 1_000n, v3)
      assert.strictEqual(
        said(yield* acceptance.accept(fromPlain)),
        refused(`version=3 ${named(fromPlain)} cannot spend from non-version=3 ${named(plain)}`)
      )
      const outputs = (count: number) => Array.from({ length: count }, () => 600n)
      const big = pay({ from: [c!], to: outputs(320), ...v3 })
      const size = (tx: Transaction) => tx.bytes.length
      assert.strictEqual(
        said(yield* acceptance.accept(big)),
        refused(`version=3 ${named(big)} is too big: ${size(big)} > 10000 virtual bytes`)
      )
      const bigChild = pay({ from: [output(parent)], to: outputs(40), ...v3 })
      assert.strictEqual(
        said(yield* acceptance.accept(bigChild)),
        refused(`version=3 child ${named(bigChild)} is too big: ${size(bigChild)} > 1000 virtual bytes`)
      )
      const child = spend([output(parent)], COIN / 2n, 1_000n, v3)
      assert.strictEqual(said(yield* acceptance.accept(child)), "Accepted")
      const grandchild = spend([output(child)], COIN / 2n - 1_000n, 1_000n, v3)
      assert.strictEqual(
        said(yield* acceptance.accept(grandchild)),
        refused(`${named(grandchild)} would have too many ancestors`)
      )
      // The sibling goes, where it is outbid.
      const cheap = spend([output(parent, 1)], COIN / 2n - 1_000n, 1_000n, v3)
      assert.strictEqual(
        said(yield* acceptance.accept(cheap)),
        `insufficient fee (including sibling eviction) | rejecting replacement ${
          shown(cheap)
        }, not enough additional fees to relay; 0.00 < 0.00000009 [reconsiderable]`
      )
      const second = spend([output(parent, 1)], COIN / 2n - 1_000n, 2_000n, v3)
      const outcome = yield* acceptance.accept(second)
      assert.deepStrictEqual(outcome._tag === "Accepted" && outcome.replaced.map(({ txid }) => hexOf(txid)), [
        hexOf(idOf(child))
      ])
      // In a package siblings are not evicted.
      const third = spend([output(parent)], COIN / 2n, 5_000n, v3)
      const fourth = spend([output(third)], COIN / 2n - 5_000n, 5_000n, v3)
      assert.deepStrictEqual(
        observed(yield* acceptance.testPackage([third, fourth])).outcomes,
        [refused(`${named(parent)} would exceed descendant count limit`), "not judged"]
      )
    }))

  it.live("is restricted in a package", () =>
    Effect.gen(function*() {
      const { coins: [a], engine } = yield* withCoins(1)
      const { acceptance } = testAcceptance(engine)
      const parent = pay({ from: [a!], to: [COIN / 2n, COIN / 2n - 1_000n], ...v3 })
      const child = spend([output(parent)], COIN / 2n, 1_000n, v3)
      const none = (count: number) => Array.from({ length: count }, () => "not judged")
      const heir = spend([output(parent)], COIN / 2n, 1_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.testPackage([parent, heir])),
        policy(
          "TRUC-violation",
          `non-version=3 ${named(heir)} cannot spend from version=3 ${named(parent)}`,
          ...none(2)
        )
      )
      const sibling = spend([output(parent, 1)], COIN / 2n - 1_000n, 1_000n, v3)
      assert.deepStrictEqual(
        observed(yield* acceptance.testPackage([parent, child, sibling])),
        policy("TRUC-violation", `${named(parent)} would exceed descendant count limit`, ...none(3))
      )
      const grandchild = spend([output(child)], COIN / 2n - 1_000n, 1_000n, v3)
      assert.deepStrictEqual(
        observed(yield* acceptance.testPackage([parent, child, grandchild])),
        policy("TRUC-violation", `${named(grandchild)} would have too many ancestors`, ...none(3))
      )
      assert.deepStrictEqual(observed(yield* acceptance.testPackage([parent, child])), passed("Accepted", "Accepted"))
    }))
})
