import { assert, describe, it } from "@effect/vitest"
import { type Block, decodeBlock } from "@lockstep/kernel/model"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { HeaderIndexNode } from "../../src/engine/header-index/header-index-node.ts"
import type { ChainStep } from "../../src/engine/state/chain-hook.ts"
import { transactionIndex } from "../../src/indexes/transaction-index/transaction-index.ts"
import { openLmdbStore } from "../../src/storage/key-value/lmdb-store.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const genesis = Result.getOrThrow(decodeBlock(REGTEST.genesisBlock))

/** Where the transactions of the test's block lie in it: offset and size. */
const PLACES: ReadonlyArray<readonly [offset: number, size: number]> = [[81, 60], [141, 70], [211, 300]]

/** A block whose bytes begin in the middle of an array, as those that came in a message. */
const threeTransactions = (): Block => {
  const bytes = new Uint8Array(700).subarray(24, 24 + 511)
  const transactions = PLACES.map(([offset, size]) => ({
    ...genesis.transactions[0]!,
    bytes: bytes.subarray(offset, offset + size)
  }))
  return { ...genesis, bytes, transactions }
}

const idOf = (n: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => 100 + 40 * n + i)

const stepAt = (height: number): ChainStep => ({
  node: { height, hash: new Uint8Array(32).fill(0x5a) } as HeaderIndexNode,
  block: threeTransactions(),
  transactionIds: Buffer.concat(PLACES.map((_, n) => idOf(n))),
  undo: { spent: [], replaced: [] }
})

const placesAt = (height: number) => PLACES.map(([offset, size]) => ({ height, mark: 0x5a5a5a5a, offset, size }))

describe("the index of transactions", () => {
  it.live("finds each transaction of a block by its own id, before a commit and after it", () =>
    Effect.gen(function*() {
      const store = yield* Effect.acquireRelease(
        openLmdbStore(yield* temporaryDirectory),
        ({ close }) => Effect.ignore(close)
      )
      const index = transactionIndex()
      const found = Effect.forEach(PLACES, (_, n) => index.find(idOf(n), store))
      index.connected(stepAt(7))
      assert.deepStrictEqual(yield* found, placesAt(7))
      yield* store.write(index.writeChanges)
      assert.deepStrictEqual(yield* found, placesAt(7))
      index.committed()
      assert.deepStrictEqual(yield* found, placesAt(7))
      // What waits is ahead of what was committed, and what was disconnected stays.
      index.connected(stepAt(9))
      assert.deepStrictEqual(yield* found, placesAt(9))
      index.disconnected(stepAt(9))
      assert.deepStrictEqual(yield* found, placesAt(9))
      assert.isUndefined(yield* index.find(idOf(3), store))
    }))

  it.live("leaves the genesis block out, and takes the next", () =>
    Effect.gen(function*() {
      const store = yield* Effect.acquireRelease(
        openLmdbStore(yield* temporaryDirectory),
        ({ close }) => Effect.ignore(close)
      )
      const index = transactionIndex()
      index.connected(stepAt(0))
      assert.isUndefined(yield* index.find(idOf(0), store))
      index.connected(stepAt(1))
      assert.strictEqual((yield* index.find(idOf(0), store))?.height, 1)
    }))

  it("has no state but its entries", () => {
    const index = transactionIndex()
    assert.lengthOf(index.state(), 0)
    assert.isTrue(index.restore(new Uint8Array(0)))
    assert.isFalse(index.restore(Uint8Array.of(1)))
  })
})
