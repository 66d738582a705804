import { assert, describe, it } from "@effect/vitest"
import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { hexOf } from "../../../../src/hex.ts"
import { idOf } from "../loose-transactions.ts"
import { testAcceptance } from "../mempool-context.ts"
import { COIN, mineBlocks, output, pay, said, withCoins, witnessScriptHash } from "./payments.ts"
import { failed, FREE, MISSING, passed, policy, shown, spend, observed } from "./observed.ts"

describe("a package", () => {
  it.live("is refused for its shape", () =>
    Effect.gen(function*() {
      const { coins, engine } = yield* withCoins(30)
      const { acceptance } = testAcceptance(engine)
      const none = (count: number) => Array.from({ length: count }, () => "not judged")
      const some = coins.slice(0, 26).map((coin) => spend([coin], COIN, 1_000n))
      const [first, second] = some as [Transaction, Transaction]
      const child = spend([output(first)], COIN, 5_000n)
      const heavy = coins.slice(0, 2).map((coin) =>
        pay({ from: [coin], to: Array.from({ length: 1_600 }, () => 600n) })
      )
      const shapes = [
        [some, "package-too-many-transactions"],
        [heavy, "package-too-large"],
        [[first, first], "package-contains-duplicates"],
        [[child, first], "package-not-sorted"],
        [[first, spend([coins[0]!], COIN, 2_000n)], "conflict-in-package"]
      ] as const
      for (const [transactions, reason] of shapes) {
        const says = policy(reason, undefined, ...none(transactions.length))
        assert.deepStrictEqual(observed(yield* acceptance.testPackage(transactions)), says)
        assert.deepStrictEqual(observed(yield* acceptance.acceptPackage(transactions, undefined)), says)
      }
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([first, second, child], undefined)),
        policy("package-not-child-with-parents", undefined, ...none(3))
      )
    }))

  it.live("that is tested has each fee judged, replaces nothing, and leaves no trace", () =>
    Effect.gen(function*() {
      const { coins: [a, b], engine } = yield* withCoins(2)
      const { acceptance, announced, context: { state } } = testAcceptance(engine)
      const parent = spend([a!], COIN, 1_000n)
      const child = spend([output(parent)], COIN - 1_000n, 1_000n)
      const alone = spend([b!], COIN, 1_000n)
      const good = yield* acceptance.testPackage([parent, alone, child])
      assert.deepStrictEqual(observed(good), passed("Accepted", "Accepted", "Accepted"))
      assert.deepStrictEqual(good.outcomes.map((each) => each?._tag === "Accepted" && each.feerate.fee), [
        1_000n,
        1_000n,
        1_000n
      ])
      assert.deepStrictEqual([state.totals().count, announced], [0, []])
      const free = spend([a!], COIN, 0n)
      const rich = spend([output(free)], COIN, 9_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.testPackage([free, rich])),
        failed("transaction failed", FREE, "not judged")
      )
      yield* acceptance.accept(alone)
      const onAlone = spend([output(alone)], COIN - 1_000n, 1_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.testPackage([alone, onAlone])),
        failed("transaction failed", "InMempool", "not judged")
      )
      assert.deepStrictEqual(
        observed(yield* acceptance.testPackage([parent, spend([b!], COIN, 90_000n)])),
        failed("transaction failed", "not judged", "bip125-replacement-disallowed [mempool policy]")
      )
      const failing = pay({ from: [{ ...output(parent), script: Uint8Array.of(0x01, 0x52) }], to: [COIN - 5_000n] })
      const half = observed(yield* acceptance.testPackage([parent, failing]))
      assert.deepStrictEqual([half.failure, half.outcomes[0]], [["transaction failed", undefined, false], "Accepted"])
      assert.include(half.outcomes[1], "mempool-script-verify-flag-failed")
    }))

  it.live("has a child pay for parents, which get in by themselves where they can", () =>
    Effect.gen(function*() {
      const { coins: [a, b], engine } = yield* withCoins(2)
      const { acceptance, announced, context: { state } } = testAcceptance(engine)
      const free = spend([a!], COIN, 0n)
      const paid = spend([b!], COIN, 1_000n)
      const child = spend([output(free), output(paid)], 2n * COIN - 1_000n, 4_000n)
      const poor = spend([output(free), output(paid)], 2n * COIN - 1_000n, 10n)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([free, poor], undefined)),
        failed("transaction failed", FREE, MISSING)
      )
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([free, paid, poor], undefined)),
        failed("transaction failed", FREE, "Accepted", "min relay fee not met | 10 < 22 [reconsiderable]")
      )
      const onPaid = spend([output(paid)], COIN - 1_000n, 8n)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([paid, onPaid], undefined)),
        failed("transaction failed", "InMempool", "min relay fee not met | 8 < 9 [reconsiderable]")
      )
      const outcome = yield* acceptance.acceptPackage([free, paid, child], { fee: 100_000n, size: 1_000 })
      assert.deepStrictEqual(observed(outcome), passed("Accepted", "InMempool", "Accepted"))
      const size = [free, child].reduce((sum, tx) => sum + state.entry(state.ofTxid(idOf(tx))!).virtualSize, 0)
      for (const each of [outcome.outcomes[0]!, outcome.outcomes[2]!]) {
        assert.deepStrictEqual(
          each._tag === "Accepted" && [each.feerate, each.feerateOf.map(hexOf)],
          [{ fee: 4_000n, size }, [free, child].map((tx) => hexOf(idOf(tx)))]
        )
      }
      // Whatever comes in a package is not counted.
      assert.deepStrictEqual(announced, [paid, free, child].map((tx) => `added ${hexOf(idOf(tx))}`))
    }))

  it.live("keeps to the sender's ceiling, member by member", () =>
    Effect.gen(function*() {
      const { coins: [a], engine } = yield* withCoins(1)
      const { acceptance, context: { state } } = testAcceptance(engine)
      const free = spend([a!], COIN, 0n)
      const child = spend([output(free)], COIN, 4_000n)
      const ceiling = { fee: 20_000n, size: 1_000 }
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([free, child], ceiling)),
        failed("transaction failed", FREE, "max feerate exceeded [mempool policy]")
      )
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([spend([a!], COIN, 4_000n)], ceiling)),
        failed("transaction failed", "max feerate exceeded [mempool policy]")
      )
      assert.strictEqual(state.totals().count, 0)
    }))

  it.live("with a member that fails for good is not judged as a whole, but the others are tried", () =>
    Effect.gen(function*() {
      const { coins: [a, b], engine } = yield* withCoins(2)
      const { acceptance, context: { state } } = testAcceptance(engine)
      const wrong = pay({ from: [a!], to: [COIN], version: 4 })
      const free = spend([b!], COIN, 0n)
      const child = spend([output(wrong), output(free)], 2n * COIN, 9_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([wrong, free, child], undefined)),
        failed("transaction failed", "version [not standard]", FREE, MISSING)
      )
      assert.strictEqual(state.totals().count, 0)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([spend([a!], COIN, 500n)], undefined)),
        passed("Accepted")
      )
    }))

  it.live("fails with the member whose scripts fail, in this thread or in a worker; of the others it says what it said", () =>
    Effect.gen(function*() {
      const script = Uint8Array.of(0x75, 0x51)
      const { coins: [a, b], engine, special: [locked] } = yield* withCoins(2, [witnessScriptHash(script)])
      const { acceptance, context: { state } } = testAcceptance(engine)
      const free = spend([a!], COIN, 0n)
      const unsatisfied = pay({ from: [{ ...output(free), script: Uint8Array.of(0x01, 0x52) }], to: [COIN - 5_000n] })
      const witness = [Uint8Array.of(1), Uint8Array.of(0x52)]
      const wrong = pay({
        from: [output(spend([b!], COIN, 0n)), { ...locked!, script: new Uint8Array(), witness }],
        to: [2n * COIN - 5_000n]
      })
      for (const all of [[free, unsatisfied], [spend([b!], COIN, 0n), wrong]]) {
        const { failure, outcomes } = observed(yield* acceptance.acceptPackage(all, undefined))
        assert.deepStrictEqual([failure, outcomes[0]], [["transaction failed", undefined, false], FREE])
        assert.include(outcomes[1], "mempool-script-verify-flag-failed")
      }
      assert.strictEqual(state.totals().count, 0)
    }))

  it.live("says of a member that room was made by removing it, and of no other", () =>
    Effect.gen(function*() {
      const { coins: [a], engine } = yield* withCoins(1)
      const rich = spend([a!], COIN, 20_000n)
      const poor = spend([output(rich)], COIN - 20_000n, 100n)
      const probe = testAcceptance(engine)
      yield* probe.acceptance.accept(rich)
      // Room for one with what lists take that have held two.
      const maxBytes = probe.context.state.totals().usage + 300
      const { acceptance } = testAcceptance(engine, { maxBytes })
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([rich, poor], undefined)),
        failed("transaction failed", "Accepted", "mempool full [mempool policy]")
      )
    }))

  it.live("with a confirmed member: it misses its inputs, until the child brings an output of it into memory", () =>
    Effect.gen(function*() {
      const { coins: [a], engine } = yield* withCoins(1, [], { options: { dbcacheBytes: 1 } })
      const { acceptance } = testAcceptance(engine)
      const confirmed = spend([a!], COIN, 1_000n)
      yield* mineBlocks(engine, 1, [confirmed])
      assert.strictEqual(said(yield* acceptance.test(confirmed)), MISSING)
      const child = spend([output(confirmed)], COIN - 1_000n, 1_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([confirmed, child], undefined)),
        failed("transaction failed", "txn-already-known [conflict]", "Accepted")
      )
    }))

  it.live("names a member that the mempool has with another witness", () =>
    Effect.gen(function*() {
      const script = Uint8Array.of(0x75, 0x51)
      const { engine, special: [coin] } = yield* withCoins(1, [witnessScriptHash(script)])
      const { acceptance } = testAcceptance(engine)
      const withItem = (item: number) =>
        pay({
          from: [{ ...coin!, script: new Uint8Array(), witness: [Uint8Array.of(item), script] }],
          to: [COIN - 500n]
        })
      assert.strictEqual(said(yield* acceptance.accept(withItem(1))), "Accepted")
      const child = spend([output(withItem(1))], COIN - 500n, 500n)
      const outcome = yield* acceptance.acceptPackage([withItem(2), child], undefined)
      assert.deepStrictEqual(observed(outcome), passed("OtherWitness", "Accepted"))
      assert.strictEqual(said(yield* acceptance.test(withItem(2))), "OtherWitness")
    }))

  it.live("is trimmed once it is through", () =>
    Effect.gen(function*() {
      const { coins: [a], engine } = yield* withCoins(1)
      const { acceptance, announced } = testAcceptance(engine, { maxBytes: 0 })
      const parent = spend([a!], COIN, 1_000n)
      const child = spend([output(parent)], COIN - 1_000n, 1_000n)
      const full = "mempool full [mempool policy]"
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([parent, child], undefined)),
        failed("transaction failed", full, full)
      )
      assert.strictEqual(announced.filter((each) => each.startsWith("sizelimit")).length, 2)
    }))
})

describe("a package that replaces", () => {
  const prepared = Effect.gen(function*() {
    const { coins, engine } = yield* withCoins(110)
    const made = testAcceptance(engine)
    const [a, b] = coins as [OutPoint, OutPoint]
    const old = spend([a], COIN, 2_000n)
    yield* made.acceptance.accept(old)
    return { ...made, engine, coins, a, b, old }
  })

  it.live("is a parent and a child whose fees do together", () =>
    Effect.gen(function*() {
      const { a, acceptance, announced, old } = yield* prepared
      const parent = spend([a], COIN, 100n)
      const child = spend([output(parent)], COIN - 100n, 4_000n)
      announced.length = 0
      const outcome = yield* acceptance.acceptPackage([parent, child], undefined)
      assert.deepStrictEqual(observed(outcome), passed("Accepted", "Accepted"))
      const replaced = outcome.outcomes.flatMap((each) =>
        each?._tag === "Accepted" ? each.replaced.map(({ txid }) => hexOf(txid)) : []
      )
      assert.deepStrictEqual(replaced, [hexOf(idOf(old))])
      assert.deepStrictEqual(announced, [
        `replaced ${replaced[0]}`,
        `added ${hexOf(idOf(parent))}`,
        `added ${hexOf(idOf(child))}`
      ])
    }))

  it.live("is refused with Bitcoin Core's reasons", () =>
    Effect.gen(function*() {
      const { a, acceptance, b, coins, old } = yield* prepared
      const FAILED = "package RBF failed: "
      const tooLittle = (tx: Transaction, fee: string) =>
        `insufficient fee | rejecting replacement ${
          shown(tx)
        }, less fees than conflicting txs; ${fee} < 0.00002 [reconsiderable]`
      const parent = spend([a], COIN, 100n)
      const free = spend([b], COIN, 0n)
      const three = spend([output(parent), output(free)], 2n * COIN - 100n, 9_000n)
      const observed3 = observed(yield* acceptance.acceptPackage([parent, free, three], undefined))
      assert.deepStrictEqual(
        observed3,
        policy(`${FAILED}package must be 1-parent-1-child`, undefined, tooLittle(parent, "0.000001"), FREE, MISSING)
      )
      const pooled = spend([coins[2]!], COIN, 1_000n)
      yield* acceptance.accept(pooled)
      const onPooled = spend([output(parent), output(pooled)], 2n * COIN - 1_100n, 9_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([parent, onPooled], undefined)),
        policy(
          `${FAILED}new transaction cannot have mempool ancestors`,
          undefined,
          tooLittle(parent, "0.000001"),
          MISSING
        )
      )
      const child = spend([output(parent)], COIN - 100n, 1_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([parent, child], undefined)),
        policy(
          `${FAILED}insufficient anti-DoS fees`,
          `rejecting replacement ${shown(child)}, less fees than conflicting txs; 0.000011 < 0.00002`,
          tooLittle(parent, "0.000001"),
          MISSING
        )
      )
      const better = spend([a], COIN, 2_001n)
      const worse = spend([output(better)], COIN - 2_001n, 1_999n)
      const relay = "not enough additional fees to relay; 0.00000001 < 0.00000009"
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([better, worse], undefined)),
        policy(
          `${FAILED}package feerate is less than or equal to parent feerate`,
          "package feerate 0.00023529 BTC/kvB <= parent feerate is 0.00023541 BTC/kvB",
          `insufficient fee | rejecting replacement ${shown(better)}, ${relay} [reconsiderable]`,
          MISSING
        )
      )
      const wide = pay({ from: [a], to: [COIN - 200n * 600n - 100n, ...Array.from({ length: 200 }, () => 600n)] })
      const onWide = spend([output(wide)], COIN - 200n * 600n - 100n, 4_000n)
      assert.deepStrictEqual(
        observed(yield* acceptance.acceptPackage([wide, onWide], undefined)).failure,
        [`${FAILED}insufficient feerate: does not improve feerate diagram`, undefined, true]
      )
      yield* Effect.forEach(coins.slice(3, 104), (coin) => acceptance.accept(spend([coin], COIN, 1_000n)))
      const many = pay({ from: coins.slice(3, 104), to: [101n * COIN] })
      const onMany = spend([output(many)], 101n * COIN, 900_000n)
      assert.deepStrictEqual(observed(yield* acceptance.acceptPackage([many, onMany], undefined)).failure, [
        `${FAILED}too many potential replacements`,
        `rejecting replacement ${shown(onMany)}; too many conflicting clusters (101 > 100)`,
        true
      ])
      assert.strictEqual(said(yield* acceptance.test(old)), "InMempool")
    }))

  it.live("does not in a mode that lets none", () =>
    Effect.gen(function*() {
      const { coins: [a], engine } = yield* withCoins(1)
      const { acceptance } = testAcceptance(engine, { mode: "conservative" })
      yield* acceptance.accept(spend([a!], COIN, 2_000n, { sequence: 0 }))
      const parent = spend([a!], COIN, 100n)
      const child = spend([output(parent)], COIN - 100n, 9_000n)
      const { failure, outcomes } = observed(yield* acceptance.acceptPackage([parent, child], undefined))
      assert.deepStrictEqual(failure, ["transaction failed", undefined, false])
      assert.strictEqual(outcomes[0], "bip125-replacement-disallowed [mempool policy]")
    }))
})
