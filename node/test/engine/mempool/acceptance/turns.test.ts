import { assert, describe, it } from "@effect/vitest"
import { isCoinbase, type OutPoint } from "@lockstep/kernel/model"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { EngineParts } from "../../../../src/engine/state/chain-engine.ts"
import type { EngineFault } from "../../../../src/engine/api/engine-error.ts"
import { testAcceptance } from "../mempool-context.ts"
import { COIN, mineBlocks, output, pay, said, withCoins, witnessScriptHash } from "./payments.ts"

const script = Uint8Array.of(0x75, 0x51)
const locked = witnessScriptHash(script)

/** Spends coins that only workers verify. */
const spend = (from: ReadonlyArray<OutPoint>, fee: bigint) =>
  pay({
    from: from.map((coin) => ({ ...coin, script: new Uint8Array(), witness: [Uint8Array.of(7), script] })),
    to: [[COIN * BigInt(from.length) - fee, locked]]
  })

/** An engine whose workers do not answer about loose transactions before the gate is open. */
const started = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  let underWay = 0
  const parts = (given: EngineParts): EngineParts => ({
    ...given,
    pool: {
      ...given.pool,
      judge: (block, collected) => {
        const answer = given.pool.judge(block, collected)
        if (isCoinbase(block.transactions[0]!)) return answer
        underWay += collected.jobs.length
        return Effect.andThen(Deferred.await(gate), answer)
      }
    }
  })
  const world = yield* withCoins(1, [locked, locked, locked], { parts })
  const { writer } = world.engine
  const made = testAcceptance(world.engine)
  const begin = (tx: ReturnType<typeof spend>) =>
    Effect.forkChild(made.acceptance.acceptInTurns<EngineFault>(writer.alone, tx), { startImmediately: true })
  return { ...world, ...made, begin, gate, underWay: () => underWay }
})

describe("transactions under way side by side", () => {
  it.live("are verified at once, and each enters", () =>
    Effect.gen(function*() {
      const { begin, context: { state }, gate, special, underWay } = yield* started
      const fibers = yield* Effect.forEach(special, (coin) => begin(spend([coin], 1_000n)))
      while (underWay() < special.length) yield* Effect.yieldNow
      assert.strictEqual(state.totals().count, 0)
      yield* Deferred.succeed(gate, undefined)
      const outcomes = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(outcomes.map(said), special.map(() => "Accepted"))
      assert.strictEqual(state.totals().count, special.length)
    }))

  it.live("are judged again by what the mempool has become", () =>
    Effect.gen(function*() {
      const { begin, context: { state }, gate, special: [coin], underWay } = yield* started
      const first = yield* begin(spend([coin!], 9_000n))
      const poorer = yield* begin(spend([coin!], 8_000n))
      const twin = yield* begin(spend([coin!], 9_000n))
      const richer = yield* begin(spend([coin!], 20_000n))
      while (underWay() < 4) yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      const outcomes = yield* Effect.forEach([first, poorer, twin, richer], Fiber.join)
      assert.deepStrictEqual(outcomes.map((each) => said(each).split(" |")[0]), [
        "Accepted",
        "insufficient fee",
        "InMempool",
        "Accepted"
      ])
      assert.strictEqual(state.totals().count, 1)
    }))

  it.live("are judged again by what the operator asks for them meanwhile", () =>
    Effect.gen(function*() {
      const { begin, context: { state }, gate, special: [a, b], underWay } = yield* started
      const [lowered, other] = [spend([a!], 1_000n), spend([b!], 1_000n)]
      const fibers = [yield* begin(lowered), yield* begin(other)]
      while (underWay() < 2) yield* Effect.yieldNow
      state.prioritise(output(lowered).txid, -999n)
      yield* Deferred.succeed(gate, undefined)
      const outcomes = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(outcomes.map((each) => said(each).split(" |")[0]), ["min relay fee not met", "Accepted"])
    }))

  it.live("each have the answer of their own scripts, and the others theirs", () =>
    Effect.gen(function*() {
      const { begin, context: { state }, gate, special, underWay } = yield* started
      const [a, b, c] = special
      const false_ = pay({
        from: [{ ...b!, script: new Uint8Array(), witness: [Uint8Array.of(7), Uint8Array.of(0x75, 0x00)] }],
        to: [[COIN - 1_000n, locked]]
      })
      const fibers = [yield* begin(spend([a!], 1_000n)), yield* begin(false_), yield* begin(spend([c!], 1_000n))]
      while (underWay() < special.length) yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      const outcomes = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(outcomes.map(({ _tag }) => _tag), ["Accepted", "Rejected", "Accepted"])
      assert.strictEqual(state.totals().count, 2)
    }))

  it.live("are judged again by what the chain has become", () =>
    Effect.gen(function*() {
      const { begin, context: { state }, engine, gate, special: [a, b], underWay } = yield* started
      const spent = yield* begin(spend([a!], 1_000n))
      const free = yield* begin(spend([b!], 1_000n))
      while (underWay() < 2) yield* Effect.yieldNow
      yield* mineBlocks(engine, 1, [spend([a!], 5_000n)])
      yield* Deferred.succeed(gate, undefined)
      const outcomes = yield* Effect.forEach([spent, free], Fiber.join)
      assert.deepStrictEqual(outcomes.map(said), ["bad-txns-inputs-missingorspent [missing inputs]", "Accepted"])
      assert.strictEqual(
        state.entry(state.ofTxid(output(spend([b!], 1_000n)).txid)!).height,
        engine.chain.tree.tip.height
      )
    }))
})
