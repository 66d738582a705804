import { assert, describe, it } from "@effect/vitest"
import { filterHeader, NO_FILTER_HEADER } from "@lockstep/protocol/filters/basic-filter.ts"
import * as Effect from "effect/Effect"
import type { IndexCalls } from "../../src/engine/api/index-calls.ts"
import type { OwnCall } from "../../src/engine/api/engine-calls.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { indexSwitches } from "../../src/engine/options/index-switches.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { testCrypto, testEngine } from "../engine/test-engine.ts"
import { type FailingStore, makeFailingStore, type StorePlan } from "../storage/key-value/failing-store.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const OPTIONS = indexSwitches(() => true)
const ALL = { part: { offset: 0, limit: 1_000 }, withMempool: false }

const request = (blocks: number, script: number) => ({
  script: Uint8Array.of(script),
  blocks,
  maxTries: 1_000_000,
  transactions: [],
  submit: true
})

/** A chain with a branch that is left, piece by piece, as far as the store lets it. */
const work = ({ call, chain }: RunningEngine<OwnCall | keyof IndexCalls>) =>
  Effect.gen(function*() {
    for (let n = 0; n < 4; n++) yield* call("generate", request(2, 0x51))
    yield* call("invalidateBlock", { hash: activeAt(chain.tree, 6)!.hash })
    for (let n = 0; n < 3; n++) yield* call("generate", request(2, 0x52))
  })

/** Statistics from the index are those of a walk, for the tip and as far as each other block goes. */
const indexesAgree = ({ call, chain }: RunningEngine<OwnCall | keyof IndexCalls>) =>
  Effect.gen(function*() {
    for (let round = 0; round < 500; round++) {
      if ((yield* call("indexes", undefined)).every(({ synced }) => synced)) break
      yield* Effect.sleep("5 millis")
    }
    const states = yield* call("indexes", undefined)
    assert.deepStrictEqual(states.map(({ synced }) => synced), [true, true, true, true, true, true])
    const asked = { hashType: "muhash", at: undefined } as const
    const indexed = yield* call("setStatistics", { ...asked, useIndex: true })
    const walked = yield* call("setStatistics", { ...asked, useIndex: false })
    assert.deepStrictEqual([indexed.setHash, indexed.total, indexed.txouts], [
      walked.setHash,
      walked.total,
      walked.txouts
    ])
    for (let height = 0; height <= chain.tree.tip.height; height++) {
      const { total } = yield* call("setStatistics", { ...asked, at: { height }, useIndex: true })
      assert.strictEqual(total, 5_000_000_000n * BigInt(height))
    }
    const byScript = yield* Effect.forEach([0x51, 0x52, 0x53], (script) =>
      call("scriptOutputs", { ...ALL, script: Uint8Array.of(script) }))
    assert.strictEqual(
      byScript.reduce((sum, { total }) =>
        sum + total, 0),
      chain.tree.tip.height
    )
    const byValue = yield* call("outputsOfValue", { ...ALL, least: 0n, most: 5_000_000_000n })
    assert.strictEqual(byValue.total, chain.tree.tip.height)
    const filters = (yield* call("blockFilters", { from: 0, stop: chain.tree.tip.hash.slice(), most: 1_000 }))!
    assert.lengthOf(filters, chain.tree.tip.height + 1)
    let previous = NO_FILTER_HEADER
    for (const { filter, filterHash, header } of filters) {
      assert.deepStrictEqual(filterHash, testCrypto.sha256d(filter))
      previous = filterHeader(filterHash, previous, testCrypto)
      assert.deepStrictEqual(header, previous)
    }
  })

const judge = (plan: Omit<StorePlan, "at">): void => {
  it.live(
    `${plan.fault}, ${plan.reason ?? "a full disk"}: at every write in turn, and the indexes are right afterwards`,
    () =>
      Effect.gen(function*() {
        for (let at = 1; at < 40; at++) {
          const directory = yield* temporaryDirectory
          let failing: FailingStore | undefined
          yield* Effect.scoped(Effect.gen(function*() {
            const engine = yield* testEngine({
              directory,
              options: OPTIONS,
              extensions: [indexes],
              store: (store) => {
                failing = makeFailingStore(store, { ...plan, at })
                return failing.store
              }
            })
            yield* Effect.ignore(work(engine))
          })).pipe(Effect.ignore)
          const engine = yield* testEngine({ directory, options: OPTIONS, extensions: [indexes] })
          yield* indexesAgree(engine)
          yield* engine.call("generate", request(1, 0x53))
          yield* indexesAgree(engine)
          if (failing!.failures() === 0) {
            assert.isAbove(at, 8)
            return
          }
        }
        assert.fail("the work never came through")
      })
  )
}

describe("indexes when a commit fails", () => {
  judge({ fault: "write-lost", reason: "io" })
  judge({ fault: "write-kept", reason: "io" })
  judge({ fault: "write-kept" })
  judge({ fault: "write-lost" })
})
