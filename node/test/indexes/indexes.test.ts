import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineCalls } from "../../src/engine/api/engine-calls.ts"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import type { ChainEngine } from "../../src/engine/state/chain-engine.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import type { MakeExtension } from "../../src/engine/chainstate/extension.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { forgetPlaces } from "../../src/engine/header-index/block-place.ts"
import { blockFilterIndex } from "../../src/indexes/block-filters/block-filter-index.ts"
import { coinStatisticsIndex } from "../../src/indexes/coin-statistics/coin-statistics-index.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { shownError } from "../rpc/shown-error.ts"
import { KeySpace, numberedKey } from "../../src/storage/key-space.ts"
import { testCrypto, testEngine } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const generate = ({ call }: RunningEngine, blocks: number, script = 0x51) =>
  call("generate", { script: Uint8Array.of(script), blocks, maxTries: 1_000_000, transactions: [], submit: true })

const engineWith = (
  options: Partial<EngineOptions>,
  directory?: string,
  first: (engine: ChainEngine) => void = () => {}
) =>
  Effect.gen(function*() {
    const before: MakeExtension = (engine) => Effect.as(Effect.sync(() => first(engine)), {})
    return yield* testEngine({
      directory: directory ?? (yield* temporaryDirectory),
      options,
      extensions: [before, indexes]
    })
  })

const statisticsOf = ({ call }: RunningEngine, asked: Partial<EngineCalls["setStatistics"]["in"]>) =>
  call("setStatistics", { hashType: "muhash", at: undefined, useIndex: true, ...asked })

const INTERNAL = -32603
const INVALID_PARAMETER = -8
const NOT_FOUND = -5

describe("the optional indexes", () => {
  for (
    const [options, names] of [
      [{}, []],
      [{ transactionIndex: true }, ["txindex"]],
      [{ spenderIndex: true }, ["txospenderindex"]],
      [{ coinStatisticsIndex: true }, ["coinstatsindex"]],
      [{ blockFilterIndex: true }, ["basic block filter index"]],
      [{ addressIndex: true }, ["addressindex"]],
      [{ valueIndex: true }, ["valueindex"]],
      [
        { transactionIndex: true, coinStatisticsIndex: true, blockFilterIndex: true },
        ["txindex", "coinstatsindex", "basic block filter index"]
      ]
    ] as const
  ) {
    it.live(`are those that are switched on: ${names.join(", ") || "none"}`, () =>
      Effect.gen(function*() {
        const engine = yield* engineWith(options)
        yield* generate(engine, 2)
        const states = yield* engine.call("indexes", undefined)
        assert.deepStrictEqual(
          states,
          names.map((name) => ({ name, synced: true, bestBlockHeight: 2, lacksBlocks: false }))
        )
      }))
  }

  it.live("the place of a transaction is its bytes in the file of its block; an unknown one has none", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* engineWith({ transactionIndex: true })
      yield* generate({ call, chain } as RunningEngine, 3)
      const { hash } = activeAt(chain.tree, 2)!
      const block = (yield* call("blockFacts", { hash }))!.block!
      // The coinbase is behind the header and the count: its id is the Merkle root.
      const bytes = yield* chain.files.readBlock(block)
      const found = (yield* call("transactionPlace", { txid: bytes.slice(36, 68) }))!
      assert.deepStrictEqual(found.block, hash.slice())
      assert.deepStrictEqual(found.position, { file: block.file, offset: block.offset + 81, size: bytes.length - 81 })
      assert.isUndefined(yield* call("transactionPlace", { txid: new Uint8Array(32).fill(1) }))
    }))
})

describe("statistics from the index", () => {
  it.live("of the tip, of a height, of a hash, also of a block that was left; another hash than its own is walked for", () =>
    Effect.gen(function*() {
      const engine = yield* engineWith({ coinStatisticsIndex: true })
      const { hashes } = yield* generate(engine, 6)
      yield* engine.call("invalidateBlock", { hash: hashes[4]! })
      yield* generate(engine, 3, 0x52)
      const tip = yield* statisticsOf(engine, {})
      assert.deepStrictEqual([tip.height, tip.txouts], [7, 7])
      assert.deepStrictEqual(tip.block, engine.chain.tree.tip.hash.slice())
      assert.isDefined(tip.setHash)
      assert.isDefined(tip.index)
      assert.deepStrictEqual(
        yield* Effect.map(statisticsOf(engine, { at: { height: 3 } }), ({ block, height }) => [height, block]),
        [3, hashes[2]!]
      )
      const left = yield* statisticsOf(engine, { at: { hash: hashes[5]! } })
      assert.deepStrictEqual([left.height, left.txouts], [6, 6])
      const none = yield* statisticsOf(engine, { hashType: "none" })
      assert.isDefined(none.index)
      assert.isUndefined(none.setHash)
      const walked = yield* statisticsOf(engine, { hashType: "hash_serialized_3" })
      assert.isUndefined(walked.index)
      assert.isDefined(walked.setHash)
      assert.isUndefined((yield* statisticsOf(engine, { useIndex: false })).index)
    }))

  it.live("are refused: for no block, for one it has yet to come to, for one it never saw, and for a damaged entry", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const unseen = yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* engineWith({}, directory)
        const { hashes } = yield* generate(engine, 8)
        // A branch of one block, which was the tip for a moment.
        yield* engine.call("invalidateBlock", { hash: hashes[1]! })
        const [branch] = (yield* generate(engine, 1, 0x52)).hashes
        yield* engine.call("reconsiderBlock", { hash: hashes[1]! })
        yield* engine.call("flush", undefined)
        return branch!
      }))
      // It can go as far as the block that is not there.
      const engine = yield* engineWith(
        { coinStatisticsIndex: true },
        directory,
        ({ tree }) => forgetPlaces(tree, activeAt(tree, 5)!)
      )
      for (let round = 0; round < 1_000 && engine.chain.warnings.size === 0; round++) yield* Effect.sleep("5 millis")
      assert.deepStrictEqual(yield* engine.call("indexes", undefined), [
        { name: "coinstatsindex", synced: false, bestBlockHeight: 4, lacksBlocks: true }
      ])
      const refused = (at: EngineCalls["setStatistics"]["in"]["at"]) =>
        Effect.map(Effect.flip(statisticsOf(engine, { at })), (error) => {
          const { code, message } = shownError(error)
          return [code, message]
        })
      assert.strictEqual((yield* refused({ height: 9 }))[0], INVALID_PARAMETER)
      assert.deepStrictEqual(yield* refused({ hash: new Uint8Array(32) }), [NOT_FOUND, "Block not found"])
      assert.deepStrictEqual(yield* refused({ height: 5 }), [
        INTERNAL,
        "Unable to get data because coinstatsindex is still syncing. Current height: 4"
      ])
      assert.deepStrictEqual(yield* refused({ hash: unseen }), [INTERNAL, "Unable to read UTXO set"])
      assert.strictEqual((yield* statisticsOf(engine, { at: { height: 4 } })).txouts, 4)
      // What the index has is written with the next block's commit.
      yield* generate(engine, 1)
      yield* engine.call("flush", undefined)
      const key = numberedKey(KeySpace.coinStatistics, 3, activeAt(engine.chain.tree, 3)!.hash)
      yield* engine.chain.store.write((batch) => batch.put(key, Uint8Array.of(1)))
      const [, message] = yield* refused({ height: 3 })
      assert.match(String(message), /^The statistics of block [0-9a-f]{64} are damaged: run `lockstep rebuild`/)
    }))

  it.live("and filters that are damaged are errors of the index, for other readers besides the calls", () =>
    Effect.gen(function*() {
      const { chain: { store, tree } } = yield* engineWith({})
      const node = tree.tip
      const key = (space: number) => numberedKey(space, node.height, node.hash)
      yield* store.write((batch) => {
        batch.put(key(KeySpace.coinStatistics), Uint8Array.of(1))
        batch.put(key(KeySpace.filterHeader), Uint8Array.of(1))
      })
      const statistics = coinStatisticsIndex({ crypto: testCrypto, subsidyHalvingInterval: 150 })
      const filters = blockFilterIndex({ crypto: testCrypto })
      for (
        const attempt of [
          statistics.find(node, store),
          filters.findHeader(node, store),
          filters.findFilter(node, store),
          filters.memory!.read(node, store)
        ]
      ) {
        const { operation, part, reason } = yield* Effect.flip(Effect.asVoid(attempt))
        assert.deepStrictEqual([part, operation, reason], ["index", "read", "corrupt"])
      }
    }))
})
