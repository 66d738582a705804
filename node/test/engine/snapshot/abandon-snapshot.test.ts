import { assert, describe, it } from "@effect/vitest"
import { transactionId } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { has, isInvalid, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"
import { plantChain, plantedRoot, plantOn } from "../planted-blocks.ts"
import { blockOn, FALSE, matureChain, spend, SUBSIDY, TRUE } from "../spending-blocks.ts"
import { testCrypto } from "../test-engine.ts"
import {
  BASE,
  coinsOf,
  heights,
  loadingEngine,
  otherCoins,
  prepare,
  recordForAll,
  type Records,
  submit,
  TOP
} from "./snapshot-rig.ts"

let recorded: Records
recordForAll((records) => {
  recorded = records
})

describe("a snapshot of other coins than those of its block", () => {
  it.live("is dropped: the node stops, and goes on from the chain behind it", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { file, known } = recorded.wrong
      const fatal: Array<string> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded, {
          known,
          news: (news) => void (news._tag === "Fatal" && fatal.push(news.message))
        })
        yield* prepare(engine, recorded, 0)
        yield* engine.call("loadCoins", { file })
        yield* submit(engine, recorded, BASE, TOP)
        assert.strictEqual(heights(engine).tip, TOP)
        yield* submit(engine, recorded, 0, BASE)
        assert.strictEqual(engine.chain.status._tag, "Broken")
      }))
      assert.lengthOf(fatal, 1)
      assert.match(fatal[0]!, /failed to validate the -assumeutxo snapshot state.* from 10 to 8\./)
      const engine = yield* loadingEngine(directory, recorded, { known })
      assert.deepStrictEqual(heights(engine), { tip: TOP, behind: undefined, assumed: undefined })
      assert.strictEqual(yield* coinsOf(engine), recorded.top)
    }))
})

/** The file with another base, and what a release would say of that. */
const liar = (directory: string, chain: Records["chain"], height: number) => {
  const { hash } = chain[height - 1]!.node
  const file = join(directory, "liar.dat")
  writeFileSync(file, readFileSync(recorded.file).fill(hash, 11, 43))
  return { file, known: { ...recorded.known, hash, height }, other: { ...recorded, chain } }
}

describe("a block before the snapshot that is invalid", () => {
  it.live("ends the use of the snapshot, and stays invalid; what was built on it is not connected any more", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const before = plantChain(plantedRoot(), 4, 60)
      const bad = plantOn(before.at(-1)!.node, 70, 1n)
      const chain = [...before, bad, ...plantChain(bad.node, TOP - 5, 71)]
      const { file, known, other } = liar(directory, chain, BASE)
      const fatal: Array<string> = []
      const verdicts: Array<unknown> = []
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, other, {
          known,
          news: (news) => {
            if (news._tag === "Fatal") fatal.push(news.message)
            if (news._tag === "Event" && news.event.type === "BlockValidationCompleted") {
              verdicts.push(news.event.payload)
            }
          }
        })
        yield* prepare(engine, other, 0)
        yield* engine.call("loadCoins", { file })
        yield* submit(engine, other, BASE, TOP)
        yield* submit(engine, other, 0, 4)
        assert.deepStrictEqual(heights(engine), { tip: TOP, behind: 4, assumed: BASE })
        yield* submit(engine, other, 4, 5)
        assert.strictEqual(engine.chain.status._tag, "Broken")
        assert.isTrue(isInvalid(engine.chain.tree, nodeOf(engine.chain.tree, bad.node.hash)!), "at once")
      }))
      assert.match(fatal.join(), /resetting the chain height from 10 to 4\. .* resume syncing from 4 without/)
      assert.propertyVal(verdicts.at(-1), "valid", false)
      const engine = yield* loadingEngine(directory, other, { known })
      assert.deepStrictEqual(heights(engine), { tip: 4, behind: undefined, assumed: undefined })
      const { tree } = engine.chain
      const nodes = chain.map(({ node }) => nodeOf(tree, node.hash)!)
      assert.deepStrictEqual(nodes.map((node) => isInvalid(tree, node)), chain.map((_, at) => at >= 4))
      const connected = nodes.map((node) => has(tree, node, HeaderStatus.CONNECTED))
      assert.deepStrictEqual(connected, chain.map((_, at) => at < 4))
      assert.strictEqual(yield* otherCoins(engine), 0)
    }))

  it.live("is one whose only script fails", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const mature = matureChain(101)
      const paid = (script: Uint8Array) => [{ value: SUBSIDY, script }]
      const unspendable = spend(mature[0]!.coinbase, 0, paid(FALSE))
      const first = blockOn(mature.at(-1)!.node, [unspendable])
      const failing = blockOn(first.node, [spend(transactionId(unspendable, testCrypto), 0, paid(TRUE))])
      const chain = [...mature, first, failing, blockOn(failing.node, [])]
      const { file, known, other } = liar(directory, chain, chain.length)
      const engine = yield* loadingEngine(directory, other, { known })
      yield* prepare(engine, other, 100)
      yield* engine.call("loadCoins", { file })
      yield* submit(engine, other, 100, 102)
      assert.strictEqual(heights(engine).behind, 102)
      yield* submit(engine, other, 102, 103)
      assert.deepStrictEqual([engine.chain.status._tag, heights(engine).behind], ["Broken", 102])
    }))

  it.live("is one whose coin is missing, once the store has been examined; of a damaged store no block is invalid", () =>
    Effect.gen(function*() {
      const before = plantChain(plantedRoot(), 4, 80)
      const missing = blockOn(before.at(-1)!.node, [
        spend(new Uint8Array(32).fill(7), 0, [{ value: 1n, script: TRUE }])
      ])
      const chain = [...before, missing, ...plantChain(missing.node, TOP - 5, 91)]
      const damaged = new StorageError({
        part: "key-value",
        operation: "read",
        reason: "corrupt",
        message: "is damaged"
      })
      for (const isDamaged of [false, true]) {
        const directory = yield* temporaryDirectory
        const { file, known, other } = liar(directory, chain, BASE)
        let examined = 0
        const engine = yield* loadingEngine(directory, other, {
          known,
          store: (store) => ({
            ...store,
            examine: Effect.suspend(() => {
              examined++
              return isDamaged ? Effect.fail(damaged) : store.examine
            })
          })
        })
        yield* prepare(engine, other, 0)
        yield* engine.call("loadCoins", { file })
        yield* submit(engine, other, 0, 4)
        assert.strictEqual(examined, 0)
        yield* Effect.ignore(submit(engine, other, 4, 5))
        assert.strictEqual(examined, 1)
        const { tree } = engine.chain
        assert.strictEqual(isInvalid(tree, nodeOf(tree, missing.node.hash)!), !isDamaged)
        assert.strictEqual(engine.chain.status._tag, "Broken")
      }
    }))
})
