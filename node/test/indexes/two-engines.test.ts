import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { indexSwitches } from "../../src/engine/options/index-switches.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { KeySpace, rangeOf } from "../../src/storage/key-space.ts"
import { entriesOf } from "../storage/key-value/behaviour.ts"
import { LEVELDB } from "../storage/key-value/engines.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "../engine/test-engine.ts"
import { coinbaseAt, loose, mine } from "../engine/mempool/loose-transactions.ts"
import { request } from "../engine/generate-request.ts"

/** Blocks after which the first coinbase can be spent. */
const OLD = 100

describe("two engines", () => {
  it.live("hold the same entries of all indexes for the same chain", () =>
    Effect.gen(function*() {
      const options = indexSwitches(() => true)
      const contents = Effect.fnUntraced(function*(engine: RunningEngine) {
        const spaces = [
          KeySpace.transactionIndex,
          KeySpace.coinStatistics,
          KeySpace.indexState,
          KeySpace.filterHeader,
          KeySpace.filter
        ]
        return yield* Effect.forEach(spaces, (space) => entriesOf(engine.chain.store, rangeOf(space)))
      })
      const scope = yield* Scope.make()
      const level = yield* LEVELDB.open(yield* temporaryDirectory)
      const [lmdb, other] = [yield* temporaryDirectory, yield* temporaryDirectory]
      const first = yield* Scope.provide(testEngine({ directory: lmdb, options, extensions: [indexes] }), scope)
      const second = yield* Scope.provide(
        testEngine({ directory: other, options, extensions: [indexes], store: () => level }),
        scope
      )
      yield* mine(first, OLD)
      const spend = loose({ inputs: [yield* coinbaseAt(first, 1)], values: [4_999_990_000n] })
      yield* first.call("generate", request(20))
      const { hashes } = yield* mine(first, 1, [spend])
      yield* first.call("generate", request(9))
      yield* first.call("invalidateBlock", { hash: hashes[0]! })
      yield* first.call("generate", request(11, 0x52))
      yield* mine(first, 1, [spend])
      for (let height = 1; height <= OLD + 32; height++) {
        const node = activeAt(first.chain.tree, height)!
        const facts = (yield* first.call("blockFacts", { hash: node.hash }))!
        yield* second.call("submitBlock", { bytes: yield* first.chain.files.readBlock(facts.block!) })
      }
      assert.strictEqual(second.chain.tree.tip.height, OLD + 32)
      yield* second.call("flush", undefined)
      yield* first.call("flush", undefined)
      const [ids, statistics, states, ...filters] = yield* contents(first)
      const [otherIds, otherStatistics, otherStates, ...otherFilters] = yield* contents(second)
      // The branch that was left stays in the first one.
      assert.strictEqual(ids!.length, OLD + 43)
      assert.strictEqual(statistics!.length, OLD + 43)
      const known = new Map(
        ids!.map(([key, value]) => [Buffer.from(key).toString("hex"), Buffer.from(value).toString("hex")])
      )
      for (const [key, value] of otherIds!) {
        assert.strictEqual(known.get(Buffer.from(key).toString("hex")), Buffer.from(value).toString("hex"))
      }
      assert.strictEqual(otherIds!.length, OLD + 33)
      assert.strictEqual(otherStatistics!.length, OLD + 33)
      const byKey = new Map(statistics!.map(([key, value]) => [Buffer.from(key).toString("hex"), value]))
      for (const [key, value] of otherStatistics!) {
        assert.deepStrictEqual(byKey.get(Buffer.from(key).toString("hex")), value)
      }
      for (const [i, entries] of filters.entries()) {
        assert.deepStrictEqual([entries.length, otherFilters[i]!.length], [OLD + 43, OLD + 33])
        const all = new Map(entries.map(([key, value]) => [Buffer.from(key).toString("hex"), value]))
        for (const [key, value] of otherFilters[i]!) {
          assert.deepStrictEqual(all.get(Buffer.from(key).toString("hex")), value)
        }
      }
      assert.strictEqual(states!.length, 6)
      assert.strictEqual(otherStates!.length, 6)
      // What was disconnected leaves the indexes of outputs and of their spenders.
      const counts = [
        [KeySpace.spender, 1],
        [KeySpace.addressHistory, OLD + 33],
        [KeySpace.addressUnspent, OLD + 32],
        [KeySpace.valueUnspent, OLD + 32]
      ] as const
      for (const [space, count] of counts) {
        const [here, there] = yield* Effect.forEach([first, second], ({ chain: { store } }) =>
          entriesOf(store, rangeOf(space)))
        assert.lengthOf(here!, count)
        assert.deepStrictEqual(here, there)
      }
      yield* Scope.close(scope, Exit.void)
      yield* level.close
    }))
})
