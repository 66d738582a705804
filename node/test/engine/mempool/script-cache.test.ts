import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Effect from "effect/Effect"
import { CONSENSUS_FLAGS, ScriptFlag } from "@lockstep/kernel/script"
import { blockHash, type Transaction } from "@lockstep/kernel/model"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import type { RunningEngine } from "../../../src/engine/host/engine.ts"
import { assembleBlock, setNonce } from "../../../src/engine/mining/block-assembly.ts"
import { PLANTED_AT } from "../planted-blocks.ts"
import type { EngineParts } from "../../../src/engine/state/chain-engine.ts"
import { scriptCache, scriptCacheSets } from "../../../src/engine/state/script-cache.ts"
import { idOf } from "./loose-transactions.ts"
import { testAcceptance } from "./mempool-context.ts"
import {
  COIN,
  mineBlocks,
  output,
  P2SH_OP_TRUE,
  pay,
  said,
  withCoins,
  witnessScriptHash
} from "./acceptance/payments.ts"
import { hexOf } from "../../../src/hex.ts"
import { testCrypto } from "../test-engine.ts"

const id = fc.uint8Array({ minLength: 32, maxLength: 32 })
const flags = fc.constantFrom(1, 2, 3, CONSENSUS_FLAGS)

describe("the script cache", () => {
  it("has as many sets of four as fit, and one at least", () => {
    const sets = [undefined, 16 * 2 ** 20, 2 ** 20, 287, 288, 0].map(scriptCacheSets)
    assert.deepStrictEqual(sets, [65_536, 65_536, 4_096, 1, 2, 1])
  })

  it("has what was added, under exactly those flags, while there is room", () => {
    fc.assert(fc.property(fc.array(fc.tuple(id, flags), { maxLength: 3 }), id, fc.integer(), (added, other, seed) => {
      const cache = scriptCache(seed, 1)
      for (const [wtxid, under] of added) cache.add(wtxid, under)
      assert.strictEqual(cache.isEmpty(), added.length === 0)
      for (const [wtxid] of [...added, [other] as const]) {
        for (const under of [0, 1, 2, 3, CONSENSUS_FLAGS]) {
          const wanted = added.some(([each, its]) => its === under && hexOf(each) === hexOf(wtxid))
          assert.strictEqual(cache.has(wtxid, under), wanted)
        }
      }
    }))
  })

  it("distinguishes ids that differ in one bit", () => {
    fc.assert(fc.property(id, fc.nat(255), (wtxid, bit) => {
      const cache = scriptCache(7, 1)
      cache.add(wtxid, 1)
      const other = new Uint8Array(wtxid)
      other[bit >> 3]! ^= 1 << (bit & 7)
      assert.isFalse(cache.has(other, 1))
    }))
  })

  it("forgets rather than grow, and nothing is added for no flags", () => {
    const cache = scriptCache(7, 1)
    const ids = Array.from({ length: 9 }, (_, i) => new Uint8Array(32).fill(i + 1))
    cache.add(ids[0]!, 0)
    assert.isTrue(cache.isEmpty())
    for (const each of ids) {
      cache.add(each, 1)
      assert.isTrue(cache.has(each, 1))
    }
    assert.lengthOf(ids.filter((each) => cache.has(each, 1)), 4)
  })
})

describe("the sets of the script cache", () => {
  const ids = Array.from({ length: 600 }, (_, i) => testCrypto.sha256(Uint8Array.of(i, i >> 8)))

  it("all fill up, and hold four each", () => {
    for (const sets of [1, 2, 8, 32]) {
      const cache = scriptCache(99, sets)
      for (const each of ids) cache.add(each, 5)
      assert.lengthOf(ids.filter((each) => cache.has(each, 5)), 4 * sets)
    }
  })

  it("are chosen by the seed, and one entry displaces another of its set by turns", () => {
    const heldBy = (seed: number) => {
      const cache = scriptCache(seed, 32)
      for (const each of ids) cache.add(each, 5)
      return ids.map((each) => cache.has(each, 5)).join()
    }
    assert.notStrictEqual(heldBy(1), heldBy(2))
    const cache = scriptCache(1, 1)
    for (const each of ids.slice(0, 8)) cache.add(each, 5)
    // None of the first four is left, and each of the next has displaced another one.
    assert.deepStrictEqual(ids.slice(0, 8).map((each) => cache.has(each, 5)), [0, 0, 0, 0, 1, 1, 1, 1].map(Boolean))
    for (let again = 0; again < 3; again++) cache.add(ids[4]!, 5)
    assert.isTrue(cache.has(ids[5]!, 5))
  })

  it("are many without another number: twenty thousand entries stay", () => {
    const cache = scriptCache(1)
    const many = Array.from({ length: 20_000 }, (_, i) => testCrypto.sha256(Uint8Array.of(i, i >> 8, 1)))
    for (const each of many) cache.add(each, 5)
    assert.isAbove(many.filter((each) => cache.has(each, 5)).length, 19_950)
  })
})

/** Writes down how many jobs each block's verification has. */
const counting = (counts: Array<number>) => (parts: EngineParts): EngineParts => ({
  ...parts,
  pool: {
    ...parts.pool,
    judge: (block, collected) => {
      if (block.transactions.length > 1) counts.push(collected.jobs.length)
      return parts.pool.judge(block, collected)
    }
  }
})

/** A block with these transactions on top of the tip, which no part has read. */
const planted = (
  { chain: { crypto, parameters, tree: { tip } } }: RunningEngine,
  transactions: ReadonlyArray<Transaction>
) => {
  const contents = { script: P2SH_OP_TRUE, transactions, fees: 0n, now: PLANTED_AT, version: 0x20000000 }
  let block = assembleBlock(tip, contents, parameters, crypto)
  const target = expandTarget(block.header.bits)!
  for (let nonce = 0; hashNumber(blockHash(block.header, crypto)) > target; nonce++) block = setNonce(block, nonce)
  return new Uint8Array(block.bytes)
}

describe("a block", () => {
  const script = Uint8Array.of(0x75, 0x51)
  const started = Effect.gen(function*() {
    const counts: Array<number> = []
    const world = yield* withCoins(6, [witnessScriptHash(script)], { parts: counting(counts) })
    counts.length = 0
    return { ...world, counts, ...testAcceptance(world.engine) }
  })

  it.live("does not verify again what was accepted, alone or in a package; a test does not count", () =>
    Effect.gen(function*() {
      const { acceptance, coins: [a, b, c, d], counts, engine } = yield* started
      const [alone, tested, other] = [a, b, c].map((coin) => pay({ from: [coin!], to: [COIN - 500n] })) as [
        ReturnType<typeof pay>,
        ReturnType<typeof pay>,
        ReturnType<typeof pay>
      ]
      const parent = pay({ from: [d!], to: [COIN] })
      const child = pay({ from: [output(parent)], to: [COIN - 5_000n] })
      assert.strictEqual(said(yield* acceptance.accept(alone)), "Accepted")
      assert.strictEqual(said(yield* acceptance.test(tested)), "Accepted")
      assert.isUndefined((yield* acceptance.testPackage([tested, other])).failure)
      assert.isUndefined((yield* acceptance.acceptPackage([parent, child], undefined)).failure)
      yield* mineBlocks(engine, 1, [alone, tested, parent, other, child])
      assert.strictEqual(counts.at(-1), 2)
    }))

  it.live("verifies what holds under policy alone, or was seen with another witness", () =>
    Effect.gen(function*() {
      const { acceptance, counts, engine, special: [coin] } = yield* started
      const seen = (item: number) =>
        pay({
          from: [{ ...coin!, script: new Uint8Array(), witness: [Uint8Array.of(item), script] }],
          to: [COIN - 500n]
        })
      assert.strictEqual(said(yield* acceptance.accept(seen(1))), "Accepted")
      engine.chain.scriptCache.add(idOf(seen(2)), CONSENSUS_FLAGS)
      yield* mineBlocks(engine, 1, [seen(2)])
      assert.strictEqual(counts.at(-1), 1)
    }))

  it.live("is refused for the first script that fails, wherever verified ones stand before it", () =>
    Effect.gen(function*() {
      const { acceptance, coins: [a, b, c], counts, engine } = yield* started
      const good = pay({ from: [a!], to: [COIN - 500n] })
      const fails = pay({ from: [{ ...b!, script: Uint8Array.of(0x01, 0x52) }], to: [COIN - 500n] })
      const failsToo = pay({ from: [{ ...c!, script: Uint8Array.of(0x01, 0x53) }], to: [COIN - 500n] })
      yield* acceptance.accept(good)
      const bytes = planted(engine, [good, fails, failsToo])
      const verdict = yield* engine.call("submitBlock", { bytes })
      assert.include(JSON.stringify(verdict), "block-script-verify-flag-failed")
      assert.strictEqual(counts.at(-1), 2)
    }))

  it.live("under other flags verifies all again", () =>
    Effect.gen(function*() {
      const { coins: [a], counts, engine } = yield* started
      const tx = pay({ from: [a!], to: [COIN - 500n] })
      engine.chain.scriptCache.add(idOf(tx), CONSENSUS_FLAGS & ~ScriptFlag.NULLDUMMY)
      yield* mineBlocks(engine, 1, [tx])
      assert.strictEqual(counts.at(-1), 1)
    }))
})
