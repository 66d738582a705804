import { assert, describe, it } from "@effect/vitest"
import { decodeBlock, transactionId } from "@lockstep/kernel/model"
import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { IndexCalls } from "../../src/engine/api/index-calls.ts"
import type { OwnCall } from "../../src/engine/api/engine-calls.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { blockPlace } from "../../src/engine/header-index/block-place.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { closeSession, openSession, randomFrom, reopen, type Session } from "../engine/session.ts"
import { testCrypto, type TestEngineOptions } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { hasRecordings, recordedChain, type RecordedFilter } from "./recorded-chain.ts"
import { patience } from "../process/patience.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const ALL = { transactionIndex: true, coinStatisticsIndex: true, blockFilterIndex: true }
const NONE = { transactionIndex: false, coinStatisticsIndex: false, blockFilterIndex: false }

const optionsFor = (directory: string, mockTime: number): TestEngineOptions<readonly [typeof indexes]> => ({
  directory,
  mockTime,
  options: ALL,
  extensions: [indexes]
})

const untilSynced = (engine: RunningEngine<OwnCall | keyof IndexCalls>): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let round = 0; round < 2000; round++) {
      const states = yield* Effect.orDie(engine.call("indexes", undefined))
      if (
        states.every(({ bestBlockHeight, synced }) => synced && bestBlockHeight === engine.chain.tree.tip.height)
      ) return
      yield* Effect.sleep("10 millis")
    }
    assert.fail("the indexes do not reach the tip")
  })

/** Every height against what Bitcoin Core's index says. */
const statisticsAgree = Effect.fnUntraced(
  function*(
    { call }: RunningEngine<OwnCall | keyof IndexCalls>,
    statistics: ReturnType<typeof recordedChain>["statistics"]
  ) {
    for (const expected of statistics) {
      const asked = { hashType: "muhash", useIndex: true } as const
      assert.deepStrictEqual(yield* call("setStatistics", { ...asked, at: { height: expected.height } }), expected)
      assert.deepStrictEqual(yield* call("setStatistics", { ...asked, at: { hash: expected.block } }), expected)
    }
    const tip = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: true })
    assert.deepStrictEqual(tip, statistics.at(-1))
    const walked = yield* call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
    assert.deepStrictEqual([walked.setHash, walked.txouts, walked.total, walked.bogoSize], [
      tip.setHash,
      tip.txouts,
      tip.total,
      tip.bogoSize
    ])
  }
)

/** Every transaction of the chain is found where it is, byte by byte. */
const placesAgree = Effect.fnUntraced(function*({ call, chain }: RunningEngine<OwnCall | keyof IndexCalls>) {
  const { files, tree } = chain
  let found = 0
  for (let height = 1; height <= tree.tip.height; height++) {
    const node = activeAt(tree, height)!
    const { file, offset } = blockPlace(tree, node)!
    const block = Result.getOrThrow(decodeBlock(yield* files.readBlock(blockPlace(tree, node)!)))
    for (const tx of block.transactions) {
      const place = yield* call("transactionPlace", { txid: transactionId(tx, testCrypto) })
      assert.isTrue(bytesEqual(place!.block, node.hash), `height ${height}`)
      const { position } = place!
      const start = position.offset - offset
      assert.strictEqual(position.file, file)
      assert.isTrue(bytesEqual(block.bytes.subarray(start, start + position.size), tx.bytes), `height ${height}`)
      found++
    }
  }
  assert.isAbove(found, tree.tip.height)
  assert.isUndefined(yield* call("transactionPlace", { txid: new Uint8Array(32) }))
})

/** The filter of every block of the chain, and its header, one by one and in a row. */
const filtersAgree = Effect.fnUntraced(
  function*({ call, chain }: RunningEngine<OwnCall | keyof IndexCalls>, filters: ReadonlyArray<RecordedFilter>) {
    const rows = filters.filter(({ isOnBestChain }) => isOnBestChain)
    const stop = chain.tree.tip.hash.slice()
    const found = yield* call("blockFilters", { from: 0, stop, most: 10_000 })
    assert.deepStrictEqual(
      found?.map(({ block, filter, header }) => ({ block, filter, header })),
      rows.map(({ block, filter, header }) => ({ block, filter, header }))
    )
    const heights = [0, 7, chain.tree.tip.height]
    const headers = yield* call("filterHeaders", { heights, stop })
    assert.deepStrictEqual(
      headers,
      heights.map((height) => {
        const { block, filter, header } = rows[height]!
        return { block, header, filterHash: testCrypto.sha256d(filter) }
      })
    )
  }
)

const judge = Effect.fnUntraced(
  function*({ engine }: Session<readonly [typeof indexes]>, { filters, statistics }: ReturnType<typeof recordedChain>) {
    yield* untilSynced(engine)
    yield* statisticsAgree(engine, statistics)
    yield* filtersAgree(engine, filters)
    yield* placesAgree(engine)
  }
)

describe.skipIf(!hasRecordings)(`indexes of the chain that Bitcoin Core made, seed ${SEED}`, () => {
  it.live("that go along with every block, over reorganisations and restarts", () =>
    Effect.gen(function*() {
      const recorded = recordedChain()
      const { blocks, mockTime } = recorded
      assert.isAbove(recorded.statistics.length, 300)
      const random = randomFrom(SEED)
      const session = yield* openSession(optionsFor(yield* temporaryDirectory, mockTime))
      for (const bytes of blocks) {
        yield* session.engine.call("submitBlock", { bytes })
        if (session.engine.chain.tree.candidates.size > 1 || random() > 0.03) continue
        // As a kill: in the initial download what was not committed is gone, and comes again.
        if (random() < 0.5) yield* session.engine.call("flush", undefined)
        yield* reopen(session, mockTime)
      }
      for (const bytes of blocks) yield* session.engine.call("submitBlock", { bytes })
      yield* judge(session, recorded)
      yield* session.engine.call("flush", undefined)
      yield* reopen(session, mockTime)
      yield* judge(session, recorded)
      yield* closeSession(session)
    }), patience(240_000))

  it.live(
    "that are switched on and off on the way, and made later, with restarts while they catch up",
    () =>
      Effect.gen(function*() {
        const recorded = recordedChain()
        const { blocks, mockTime } = recorded
        const random = randomFrom(SEED + 1)
        const options = optionsFor(yield* temporaryDirectory, mockTime)
        const session = yield* openSession({ ...options, options: NONE })
        const switchTo = (next: typeof ALL): Effect.Effect<void, unknown> =>
          Effect.gen(function*() {
            yield* session.engine.call("flush", undefined)
            yield* closeSession(session)
            Object.assign(session, yield* openSession({ ...options, options: next }))
          })
        for (const bytes of blocks) {
          yield* session.engine.call("submitBlock", { bytes })
          if (session.engine.chain.tree.candidates.size > 1 || random() > 0.05) continue
          yield* switchTo(random() < 0.5 ? ALL : NONE)
          yield* Effect.sleep(`${Math.floor(random() * 60)} millis`)
        }
        yield* switchTo(ALL)
        yield* judge(session, recorded)
        yield* closeSession(session)
      }),
    patience(240_000)
  )
})
