import { assert, describe, it } from "@effect/vitest"
import type { AssumeUtxo } from "@lockstep/protocol/networks/network.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CoinCache } from "../../../src/coins/coin-cache.ts"
import type { ChainEngine, EngineParts } from "../../../src/engine/state/chain-engine.ts"
import { NO_INDEXES } from "../../../src/engine/options/index-switches.ts"
import { verificationProgress } from "../../../src/engine/chainstate/verification-progress.ts"
import { markInvalid } from "../../../src/engine/header-index/mark-invalid.ts"
import { decodeCoinsRecord, encodeCoinsRecord } from "../../../src/engine/state/coins-record.ts"
import { removeLeftoverCoins } from "../../../src/engine/snapshot/leftover-coins.ts"
import { openSnapshot } from "../../../src/engine/snapshot/open-snapshot.ts"
import { loadable } from "../../../src/engine/snapshot/refusals.ts"
import { snapshotState } from "../../../src/engine/chainstate/snapshot-state.ts"
import type { TxMempool } from "../../../src/engine/txmempool/contract.ts"
import { addHeader } from "../../../src/engine/header-index/header-index.ts"
import { KeySpace } from "../../../src/storage/key-space.ts"
import { chainModel, hashOf, minedChain } from "../../p2p/sync/chain-model.ts"

const hash = (value: number): Uint8Array => new Uint8Array(32).fill(value)

describe("the record of the sets of coins", () => {
  const { coin, secondCoin } = KeySpace

  it("is read as it was written", () => {
    for (const active of [coin, secondCoin] as const) {
      for (const hasLeftover of [false, true]) {
        const record = { active, hasLeftover, background: undefined }
        assert.deepStrictEqual([...encodeCoinsRecord(record)], [active, hasLeftover ? 1 : 0])
        assert.deepStrictEqual(decodeCoinsRecord(encodeCoinsRecord(record)), record)
      }
      const behind = { active, hasLeftover: false, background: { base: hash(1), tip: hash(2) } }
      const bytes = encodeCoinsRecord(behind)
      assert.deepStrictEqual([...bytes], [active, 2, ...hash(1), ...hash(2)])
      assert.deepStrictEqual(decodeCoinsRecord(bytes), behind)
    }
  })

  it("is none where it is too short, too long, or says something else", () => {
    const long = encodeCoinsRecord({ active: coin, hasLeftover: false, background: { base: hash(1), tip: hash(2) } })
    const damaged = [[], [coin], [coin, 3], [coin, 2], [coin, 0, 0], [77, 0], [...long, 0], long.slice(0, 65)]
    for (const bytes of [...damaged, [coin, 1, ...long.slice(2)], [77, ...long.slice(1)]]) {
      assert.isUndefined(decodeCoinsRecord(Uint8Array.from(bytes)), bytes.join())
    }
  })
})

const PLAIN = {
  pruning: { _tag: "Disabled" },
  ...NO_INDEXES
} as const

/** Pruning, and an index: neither keeps a snapshot from being loaded. */
const MORE_OPTIONS = [{ pruning: { _tag: "Manual" } }, { transactionIndex: true }] as const

const CHAIN = minedChain(5)
const BASE: AssumeUtxo = { height: 3, hash: hashOf(CHAIN[2]!), setHash: hash(5), chainTransactions: 40 }

/** An engine whose chain has one block, with five headers, and what a test changes. */
const made = Effect.fnUntraced(function*(changes: Partial<ChainEngine> = {}) {
  const { chain } = chainModel(CHAIN[4]!.time)
  for (const { bytes } of CHAIN) yield* chain.acceptHeaders(bytes)
  yield* chain.acceptBlock(CHAIN[0]!.bytes, true)
  const { tree } = chain
  const network = { ...REGTEST, assumeUtxo: [{ ...BASE, height: 1, hash: hash(9) }, BASE] }
  const engine = { tree, network, options: PLAIN, loadingBlocks: false, ...changes } as unknown as ChainEngine
  const at = (height: number) => tree.nodes.find((node) => node.height === height)!
  return { at, chain, engine, tree }
})

const METADATA = { base: BASE.hash, coins: 8 } as unknown as Parameters<typeof loadable>[2]
const poolOf = (count: number) => ({ totals: () => ({ count }) }) as unknown as TxMempool

describe("a snapshot that is to be loaded", () => {
  it.effect("is taken where nothing is in its way, with or without a mempool", () =>
    Effect.gen(function*() {
      const { at, engine } = yield* made()
      for (const mempool of [undefined, poolOf(0)]) {
        const { base, known } = Result.getOrThrow(loadable(engine, mempool, METADATA))
        assert.deepStrictEqual([base === at(3), known], [true, BASE])
      }
    }))

  it.effect("is refused with the reason otherwise", () =>
    Effect.gen(function*() {
      const why = Effect.fnUntraced(function*(changes: Partial<ChainEngine>, mempool?: TxMempool, base = BASE.hash) {
        const { engine } = yield* made(changes)
        const result = loadable(engine, mempool, { ...METADATA, base })
        return Result.isFailure(result) ? result.failure : "taken"
      })
      const twice = { snapshot: {} } as unknown as Partial<ChainEngine>
      assert.strictEqual(yield* why(twice), "Can't activate a snapshot-based chainstate more than once")
      const unknown = yield* why({}, undefined, hash(7))
      assert.match(unknown, /metadata not recognized \(hash: (07){32}\)\. .* heights are available: 1, 3$/)
      assert.match(
        yield* why({}, undefined, hash(9)),
        /^The base block header \((09){32}\) must appear in the headers chain\. .* call loadtxoutset again$/
      )
      assert.strictEqual(yield* why({}, poolOf(1)), "Can't activate a snapshot when mempool not empty")
      for (const options of MORE_OPTIONS) {
        assert.strictEqual(
          yield* why({ options: { ...PLAIN, ...options } } as unknown as Partial<ChainEngine>),
          "taken"
        )
      }
      assert.match(yield* why({ loadingBlocks: true }), /^Block files are being taken in/)
    }))

  it.effect("is refused on a chain that is invalid, forked off, or no better than that of the node", () =>
    Effect.gen(function*() {
      const refusal = ({ engine }: Effect.Success<ReturnType<typeof made>>) =>
        Result.match(loadable(engine, undefined, METADATA), { onFailure: (text) => text, onSuccess: () => "taken" })
      const invalid = yield* made()
      markInvalid(invalid.tree, invalid.at(2))
      assert.match(refusal(invalid), /^The base block header \([0-9a-f]{64}\) is part of an invalid chain$/)
      const forked = yield* made()
      let parent = forked.at(1)
      for (const header of minedChain(5, 9, parent.hash, parent.header.time)) {
        parent = addHeader(forked.tree, parent, header.bytes, hashOf(header))
      }
      assert.match(refusal(forked), /^A forked headers-chain with more work .* to sync without AssumeUtxo$/)
      const late = yield* made()
      yield* late.chain.acceptBlock(CHAIN[1]!.bytes, true)
      assert.strictEqual(refusal(late), "taken")
      yield* late.chain.acceptBlock(CHAIN[2]!.bytes, true)
      assert.strictEqual(refusal(late), "Population failed: Work does not exceed active chainstate")
    }))
})

describe("the snapshot of the last run", () => {
  const opened = Effect.fnUntraced(function*(options: object, base = BASE.hash, tip?: Uint8Array) {
    const { at, engine, tree } = yield* made()
    const coins = {} as CoinCache
    const atStart = { base, tip: tip ?? at(1).hash, coins }
    const parts = { ...engine, chainstates: { atStart }, options: { ...PLAIN, ...options } } as unknown as EngineParts
    return { at, coins, found: openSnapshot(parts, tree), parts, tree }
  })

  it.effect("goes on where it stopped", () =>
    Effect.gen(function*() {
      const { at, coins, found, parts, tree } = yield* opened({})
      assert.isTrue(found !== undefined && "base" in found)
      if (found === undefined || !("base" in found)) return
      assert.deepStrictEqual([found.base, found.background?.tip, found.known], [at(3), at(1), BASE])
      assert.strictEqual(found.background?.coins, coins)
      assert.isUndefined(openSnapshot({ ...parts, chainstates: { ...parts.chainstates, atStart: undefined } }, tree))
    }))

  it.effect("is refused where its blocks are unknown, and not for pruning or an index", () =>
    Effect.gen(function*() {
      for (const options of MORE_OPTIONS) {
        const { found } = yield* opened(options)
        assert.isTrue(found !== undefined && "base" in found)
      }
      for (const [base, tip] of [[hash(7)], [hash(9)], [BASE.hash, hash(7)], [hashOf(CHAIN[3]!)]]) {
        const { found } = yield* opened({}, base, tip)
        assert.isTrue(found !== undefined && "reason" in found && found.reason === "corrupt")
        assert.match(
          (found as { readonly message: string }).message,
          /block of its snapshot is not known\. Run .*rebuild/
        )
      }
    }))
})

describe("what is said of a snapshot", () => {
  it.effect("is its block, and how far the chain behind it is", () =>
    Effect.gen(function*() {
      const { at, engine, tree } = yield* made()
      assert.isUndefined(snapshotState(engine))
      const clock = { now: () => at(5).header.time }
      const { parameters } = REGTEST
      const background = { tip: at(1), coins: { bytes: () => 77 } as unknown as CoinCache }
      const snapshot = { base: at(3), known: BASE, background, whenReached: () => {}, comparison: undefined }
      const behind = { ...engine, clock, parameters, snapshot } as unknown as ChainEngine
      tree.columns.chainTransactions[at(1).index] = 10
      const state = snapshotState(behind)!
      assert.deepStrictEqual([state.height, state.hash], [3, BASE.hash])
      const { bits, cacheBytes, chainWork, height, medianTime, progress, progressToBase } = state.background!
      assert.deepStrictEqual([height, bits, cacheBytes, chainWork], [1, at(1).header.bits, 77, at(1).chainWork])
      // The median of the genesis block and of this one is the later.
      assert.deepStrictEqual([medianTime, state.background!.hash], [at(1).header.time, at(1).hash])
      const facts = { transactions: 10, time: at(1).header.time, headersAhead: 4, now: at(5).header.time }
      const { targetSpacing } = parameters.work
      assert.strictEqual(progress, verificationProgress({ ...facts, targetSpacing }, REGTEST.chainTransactions))
      assert.strictEqual(progressToBase, 0.25)
      tree.columns.chainTransactions[at(1).index] = 41
      assert.strictEqual(snapshotState(behind)!.background!.progressToBase, 1)
      const confirmed = { ...behind, snapshot: { ...snapshot, background: undefined } }
      assert.deepStrictEqual(snapshotState(confirmed), { height: 3, hash: BASE.hash, background: undefined })
    }))
})

describe("coins that are of no use", () => {
  /** A store with so many of them. */
  const storeWith = (count: number, active: number, status = { _tag: "Running" }) => {
    let left = count
    const batches: Array<number> = []
    const ranges: Array<{ readonly limit?: number; readonly from: Uint8Array }> = []
    const whole = {
      range: (range: { readonly limit: number; readonly from: Uint8Array }) => {
        ranges.push(range)
        return Stream.make(Array.from({ length: Math.min(left, range.limit) }, () => [new Uint8Array(1)]))
      },
      write: (fill: (batch: { readonly remove: () => void }) => void) =>
        Effect.sync(() => {
          let removed = 0
          fill({ remove: () => void removed++ })
          left -= removed
          batches.push(removed)
        })
    }
    return {
      batches,
      engine: { chainstates: { active, whole }, status } as unknown as ChainEngine,
      left: () => left,
      ranges
    }
  }

  it.live("are removed 5,000 at a time, of the set that is not in use", () =>
    Effect.gen(function*() {
      for (const [active, other] of [[KeySpace.coin, KeySpace.secondCoin], [KeySpace.secondCoin, KeySpace.coin]]) {
        const { batches, engine, ranges } = storeWith(10_001, active!)
        yield* removeLeftoverCoins(engine)
        assert.deepStrictEqual(batches, [5_000, 5_000, 1])
        assert.strictEqual(Object.values(ranges[0]!).find((value) => value instanceof Uint8Array)?.[0], other)
      }
    }))

  it.live("are left to the next start where the node ends", () =>
    Effect.gen(function*() {
      const { engine, left } = storeWith(7, KeySpace.coin, { _tag: "Closing" })
      yield* removeLeftoverCoins(engine)
      assert.strictEqual(left(), 7)
    }))
})
