import { assert, describe, it } from "@effect/vitest"
import type { OutPoint, Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { displayHash, hexOf } from "../../../../src/hex.ts"
import { idOf } from "../loose-transactions.ts"
import { testAcceptance } from "../mempool-context.ts"
import { COIN, output, pay, said, withCoins } from "./payments.ts"

const shown = (tx: Transaction): string => displayHash(idOf(tx))

/** Spends a coin with a fee; `outputs` make another transaction of it. */
const paying = (coin: OutPoint, fee: bigint, changes: Partial<Parameters<typeof pay>[0]> = {}): Transaction =>
  pay({ from: [coin], to: [COIN - fee], ...changes })

describe("a replacement", () => {
  it.live("removes its conflicts with their descendants, announced before it", () =>
    Effect.gen(function*() {
      const { coins: [coin], engine } = yield* withCoins(1)
      const { acceptance, announced, context: { state } } = testAcceptance(engine)
      const old = paying(coin!, 1_000n)
      const child = paying(output(old), 3_000n)
      yield* acceptance.accept(old)
      yield* acceptance.accept(child)
      const next = paying(coin!, 9_000n)
      announced.length = 0
      const tested = yield* acceptance.test(next)
      const outcome = yield* acceptance.accept(next)
      assert.deepStrictEqual(tested, outcome)
      const replaced = [old, child].map((tx) => hexOf(idOf(tx))).sort()
      assert.deepStrictEqual(outcome._tag === "Accepted" && outcome.replaced.map(({ txid }) => hexOf(txid)), replaced)
      assert.deepStrictEqual(announced, [...replaced.map((id) => `replaced ${id}`), `added! ${hexOf(idOf(next))}`])
      assert.strictEqual(state.totals().count, 1)
    }))

  it.live("is refused with Bitcoin Core's reasons", () =>
    Effect.gen(function*() {
      const { coins, engine } = yield* withCoins(104)
      const { acceptance } = testAcceptance(engine)
      const [first, second] = coins as [OutPoint, OutPoint]
      const old = paying(first, 2_000n)
      const child = paying(output(old), 4_000n)
      yield* acceptance.accept(old)
      yield* acceptance.accept(child)
      const less = paying(first, 3_999n)
      assert.strictEqual(
        said(yield* acceptance.accept(less)),
        `insufficient fee | rejecting replacement ${
          shown(less)
        }, less fees than conflicting txs; 0.00003999 < 0.00004 [reconsiderable]`
      )
      const free = paying(first, 4_008n)
      assert.strictEqual(
        said(yield* acceptance.accept(free)),
        `insufficient fee | rejecting replacement ${
          shown(free)
        }, not enough additional fees to relay; 0.00000008 < 0.00000009 [reconsiderable]`
      )
      const wide = pay({ from: [first], to: Array.from({ length: 30 }, () => (COIN - 5_000n) / 30n) })
      assert.strictEqual(
        said(yield* acceptance.accept(wide)),
        "replacement-failed | insufficient feerate: does not improve feerate diagram [reconsiderable]"
      )
      const onOld = pay({ from: [first, output(old)], to: [COIN] })
      assert.strictEqual(
        said(yield* acceptance.accept(onOld)),
        `bad-txns-spends-conflicting-tx | ${shown(onOld)} spends conflicting transaction ${shown(old)} [consensus]`
      )
      yield* Effect.forEach(coins.slice(1, 102), (coin) => acceptance.accept(paying(coin, 100n)))
      const all = pay({ from: coins.slice(1, 102), to: [COIN] })
      assert.strictEqual(
        said(yield* acceptance.accept(all)),
        `too many potential replacements | rejecting replacement ${
          shown(all)
        }; too many conflicting clusters (101 > 100) [mempool policy]`
      )
      assert.strictEqual(said(yield* acceptance.accept(pay({ from: coins.slice(2, 102), to: [COIN] }))), "Accepted")
      assert.strictEqual(said(yield* acceptance.accept(paying(second, 1_000n))), "Accepted")
    }))

  it.live("pays by what the operator added", () =>
    Effect.gen(function*() {
      const { coins: [coin], engine } = yield* withCoins(1)
      const { acceptance, context: { state } } = testAcceptance(engine)
      const [old, next] = [paying(coin!, 1_000n), paying(coin!, 1_005n)]
      yield* acceptance.accept(old)
      state.prioritise(idOf(next), 100n)
      assert.strictEqual(said(yield* acceptance.test(next)), "Accepted")
      state.prioritise(idOf(old), 97n)
      assert.include(said(yield* acceptance.test(next)), "0.00000008 < 0.00000009")
    }))

  it.live("may not make too large a cluster, nor may anything else", () =>
    Effect.gen(function*() {
      const { coins: [coin, other], engine } = yield* withCoins(2)
      const { acceptance } = testAcceptance(engine, { policy: { cluster: { count: 3, weight: 404_000 } } })
      const chain = [paying(coin!, 1_000n)]
      for (const fee of [2_000n, 3_000n]) chain.push(paying(output(chain.at(-1)!), fee))
      for (const tx of chain) assert.strictEqual(said(yield* acceptance.accept(tx)), "Accepted")
      const last = chain.at(-1)!
      const fourth = pay({ from: [output(last)], to: [COIN / 2n] })
      assert.strictEqual(said(yield* acceptance.accept(fourth)), "too-large-cluster [mempool policy]")
      yield* acceptance.accept(paying(other!, 1_000n))
      const joining = pay({ from: [other!, output(last)], to: [COIN] })
      assert.strictEqual(said(yield* acceptance.accept(joining)), "too-large-cluster [mempool policy]")
    }))
})

describe("a mode of replacement", () => {
  const REFUSED = "bip125-replacement-disallowed [mempool policy]"

  it.live("disabled replaces nothing", () =>
    Effect.gen(function*() {
      const { coins: [coin, v3], engine } = yield* withCoins(2)
      const { acceptance } = testAcceptance(engine, { mode: "disabled" })
      yield* acceptance.accept(paying(coin!, 1_000n, { sequence: 0 }))
      assert.strictEqual(said(yield* acceptance.accept(paying(coin!, 90_000n))), REFUSED)
      const parent = pay({ from: [v3!], to: [COIN / 2n, COIN / 2n - 1_000n], version: 3 })
      yield* acceptance.accept(parent)
      yield* acceptance.accept(pay({ from: [output(parent)], to: [COIN / 2n - 1_000n], version: 3 }))
      const sibling = pay({ from: [output(parent, 1)], to: [COIN / 2n - 90_000n], version: 3 })
      assert.include(said(yield* acceptance.accept(sibling)), "TRUC-violation")
    }))

  it.live("conservative asks for a signal, confirmed inputs, few and slow replacements, twice the feerate and a bump", () =>
    Effect.gen(function*() {
      const { coins: [coin, other, third], engine } = yield* withCoins(3)
      const { clock } = engine.chain
      const { acceptance } = testAcceptance(engine, { mode: "conservative" })
      const signalling = { sequence: 0xfffffffd }
      yield* acceptance.accept(paying(other!, 1_000n))
      assert.strictEqual(
        said(yield* acceptance.accept(paying(other!, 90_000n))),
        "txn-mempool-conflict [mempool policy]"
      )
      const parent = paying(third!, 1_000n)
      yield* acceptance.accept(parent)
      yield* acceptance.accept(paying(coin!, 1_000n, signalling))
      const adding = pay({ from: [coin!, output(parent)], to: [COIN], ...signalling })
      assert.strictEqual(said(yield* acceptance.accept(adding)), "replacement-adds-unconfirmed [mempool policy]")
      assert.strictEqual(said(yield* acceptance.accept(paying(coin!, 2_000n))), "insufficient fee [reconsiderable]")
      assert.strictEqual(said(yield* acceptance.accept(paying(coin!, 6_000n))), "insufficient fee [reconsiderable]")
      const next = paying(coin!, 6_001n, signalling)
      assert.strictEqual(said(yield* acceptance.test(next)), "Accepted")
      assert.strictEqual(said(yield* acceptance.accept(next)), "Accepted")
      assert.strictEqual(
        said(yield* acceptance.accept(paying(coin!, 20_000n, signalling))),
        "replacement-cooldown [mempool policy]"
      )
      for (const fee of [20_000n, 50_000n]) {
        clock.setMockTime(clock.now() + 300)
        assert.strictEqual(said(yield* acceptance.accept(paying(coin!, fee, signalling))), "Accepted")
      }
      clock.setMockTime(clock.now() + 300)
      assert.strictEqual(
        said(yield* acceptance.accept(paying(coin!, 200_000n, signalling))),
        "too-many-replacements [mempool policy]"
      )
    }))

  it.live("aggressive does not ask for a better diagram", () =>
    Effect.gen(function*() {
      const { coins: [coin], engine } = yield* withCoins(1)
      const parent = paying(coin!, 20_000n)
      const child = paying(output(parent), 20_100n)
      // Its feerate is above that of both together, and below that of the parent.
      const next = pay({ from: [coin!], to: [(COIN - 22_000n) / 2n, (COIN - 22_000n) / 2n] })
      const worse = "replacement-failed | insufficient feerate: does not improve feerate diagram [reconsiderable]"
      for (
        const [mode, says] of [
          ["standard", worse],
          ["aggressive", "Accepted"]
        ] as const
      ) {
        const { acceptance } = testAcceptance(engine, { mode })
        yield* acceptance.accept(parent)
        yield* acceptance.accept(child)
        assert.strictEqual(said(yield* acceptance.accept(next)), says)
      }
    }))
})
