import { assert, describe, it } from "@effect/vitest"
import { medianTimePast } from "@lockstep/kernel/chain"
import * as Effect from "effect/Effect"
import type { RunningEngine } from "../../../src/engine/host/engine.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { blockPlace, forgetPlaces, setBlockPlace, undoPlace } from "../../../src/engine/header-index/block-place.ts"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { shownError } from "../../rpc/shown-error.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { type Planned, plantChain, plantedRoot, plantOn } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"

const INVALID_PARAMETER = -8
const NOT_FOUND = -5

const submit = ({ call }: RunningEngine, blocks: ReadonlyArray<Planned>) =>
  Effect.forEach(blocks, ({ bytes }) => Effect.map(call("submitBlock", { bytes }), ({ result }) => result))

/** An engine with a chain of 40 blocks, and branches: one of 3 blocks at height 30, one invalid block at 10. */
const grown = Effect.gen(function*() {
  const engine = yield* testEngine({ directory: yield* temporaryDirectory })
  const main = plantChain(plantedRoot(), 40)
  const branch = plantChain(main[29]!.node, 3, 60)
  const invalid = plantOn(main[9]!.node, 90, 1n)
  yield* submit(engine, [...main, ...branch, invalid])
  return { ...engine, main, branch, invalid }
})

describe("what an engine answers about a block", () => {
  it.live("of the active chain and of a branch", () =>
    Effect.gen(function*() {
      const { branch, call, chain, main } = yield* grown
      const facts = (hash: Uint8Array) => Effect.map(call("blockFacts", { hash }), (found) => found!)
      const { node } = main[36]!
      const [inside, tip, left, genesis] = [
        yield* facts(node.hash),
        yield* facts(main[39]!.node.hash),
        yield* facts(branch[1]!.node.hash),
        yield* facts(activeAt(chain.tree, 0)!.hash)
      ]
      assert.deepInclude(inside, {
        height: 37,
        confirmations: 4,
        medianTime: medianTimePast(node),
        chainWork: node.chainWork,
        transactions: 1,
        pruned: false
      })
      assert.deepStrictEqual(inside.next, main[37]!.node.hash)
      assert.deepStrictEqual(inside.header, node.header.bytes)
      assert.deepInclude(tip, { height: 40, confirmations: 1, next: undefined })
      assert.deepInclude(left, { height: 32, confirmations: -1, next: undefined, undo: undefined })
      assert.deepInclude(genesis, { height: 0, confirmations: 41 })
      assert.isUndefined(yield* call("blockFacts", { hash: new Uint8Array(32) }))
    }))

  it.live("is that it was removed, until it is here again", () =>
    Effect.gen(function*() {
      const { chain: { tree }, call, main } = yield* grown
      const { hash } = main[4]!.node
      const node = nodeOf(tree, hash)!
      const place = blockPlace(tree, node)!
      assert.isDefined(undoPlace(tree, node))
      forgetPlaces(tree, node)
      const gone = yield* call("blockFacts", { hash })
      assert.deepInclude(gone, { block: undefined, undo: undefined, pruned: true, transactions: 1 })
      setBlockPlace(tree, node, { ...place, offset: place.offset + 1 }, 7)
      const back = yield* call("blockFacts", { hash })
      assert.deepInclude(back, { undo: undefined, pruned: false, transactions: 7 })
      assert.deepStrictEqual(back!.block, { ...place, offset: place.offset + 1 })
    }))

  it.live("as the next one, without keeping it", () =>
    Effect.gen(function*() {
      const { call, chain, invalid, main } = yield* grown
      const result = (bytes: Uint8Array) => Effect.map(call("proposeBlock", { bytes }), (answer) => answer.result)
      const tip = main[39]!
      assert.isUndefined(yield* result(plantOn(tip.node, 70).bytes))
      assert.strictEqual(yield* result(plantOn(tip.node, 70, 1n).bytes), "bad-cb-amount")
      assert.strictEqual(yield* result(plantOn(main[38]!.node, 70).bytes), "inconclusive-not-best-prevblk")
      assert.strictEqual(yield* result(tip.bytes), "duplicate")
      assert.strictEqual(yield* result(invalid.bytes), "duplicate-inconclusive")
      assert.strictEqual(shownError(yield* Effect.flip(result(tip.bytes.subarray(0, 90)))).code, -22)
      assert.deepStrictEqual(chain.tree.tip.hash, tip.node.hash)
      assert.lengthOf(chain.tree.nodes, 45)
      yield* call("invalidateBlock", { hash: tip.node.hash })
      assert.strictEqual(yield* result(tip.bytes), "duplicate-invalid")
    }))
})

describe("what an engine answers about the chain", () => {
  it.live("are its tips, highest first", () =>
    Effect.gen(function*() {
      const { branch, call, invalid, main } = yield* grown
      const header = plantOn(main[19]!.node, 80)
      yield* call("submitHeader", { bytes: header.bytes.subarray(0, 80) })
      const tips = yield* call("chainTips", undefined)
      assert.deepStrictEqual(tips, [
        { height: 40, hash: main[39]!.node.hash, branchLength: 0, status: "active" },
        { height: 33, hash: branch[2]!.node.hash, branchLength: 3, status: "valid-headers" },
        { height: 21, hash: header.node.hash, branchLength: 1, status: "headers-only" },
        {
          height: 11,
          hash: invalid.node.hash,
          branchLength: 1,
          status: "valid-headers"
        }
      ])
      // Now the branch was in the chain once.
      yield* call("invalidateBlock", { hash: main[30]!.node.hash })
      assert.deepStrictEqual(
        (yield* call("chainTips", undefined)).map(({ branchLength, height, status }) => [height, branchLength, status]),
        [[40, 10, "invalid"], [33, 0, "active"], [21, 1, "headers-only"], [11, 1, "valid-headers"]]
      )
      yield* call("reconsiderBlock", { hash: main[30]!.node.hash })
      assert.deepStrictEqual(
        (yield* call("chainTips", undefined)).map(({ branchLength, height, status }) => [height, branchLength, status]),
        [[40, 0, "active"], [33, 3, "valid-fork"], [21, 1, "headers-only"], [11, 1, "valid-headers"]]
      )
    }))

  it.live("are transactions and time of its last blocks", () =>
    Effect.gen(function*() {
      const { branch, call, main } = yield* grown
      const ask = (blocks: number | undefined, last?: Uint8Array) => call("chainWindow", { blocks, last })
      const refused = (blocks: number | undefined, last?: Uint8Array) =>
        Effect.map(Effect.flip(ask(blocks, last)), (error) => shownError(error).code)
      const [tip, before] = [main[39]!.node, main[36]!.node]
      assert.deepStrictEqual(yield* ask(3), {
        hash: tip.hash,
        height: 40,
        time: tip.header.time,
        transactions: 41,
        blocks: 3,
        seconds: medianTimePast(tip) - medianTimePast(before),
        transactionsBefore: 38
      })
      assert.deepInclude(yield* ask(undefined), { height: 40, blocks: 39, transactionsBefore: 2 })
      assert.deepInclude(yield* ask(39), { height: 40, blocks: 39, transactionsBefore: 2 })
      assert.deepInclude(yield* ask(0), { blocks: 0, seconds: 0, transactions: 41, transactionsBefore: 41 })
      assert.deepInclude(yield* ask(4, main[4]!.node.hash), { height: 5, blocks: 4, transactionsBefore: 2 })
      assert.deepInclude(yield* ask(undefined, main[0]!.node.hash), { height: 1, blocks: 0 })
      assert.deepInclude(yield* ask(undefined, plantedRoot().hash), { height: 0, blocks: 0 })
      for (const blocks of [-1, 40, 41]) assert.strictEqual(yield* refused(blocks), INVALID_PARAMETER)
      assert.strictEqual(yield* refused(5, main[4]!.node.hash), INVALID_PARAMETER)
      assert.strictEqual(yield* refused(1, branch[0]!.node.hash), INVALID_PARAMETER)
      assert.strictEqual(yield* refused(1, new Uint8Array(32)), NOT_FOUND)
    }))

  it.live("is the work of its last blocks and the time that they took", () =>
    Effect.gen(function*() {
      const { call, main } = yield* grown
      const ask = (blocks: number, height: number) => call("networkWork", { blocks, height })
      // A block of regtest is worth two hashes.
      const span = (from: number, to: number): number => {
        const times = main.slice(from - 1, to).map(({ node }) => node.header.time)
        return Math.max(...times) - Math.min(...times)
      }
      assert.deepStrictEqual(yield* ask(5, -1), { work: 10n, seconds: span(35, 40) })
      assert.deepStrictEqual(yield* ask(5, 20), { work: 10n, seconds: span(15, 20) })
      assert.deepStrictEqual(yield* ask(1, 2), { work: 2n, seconds: span(1, 2) })
      assert.strictEqual((yield* ask(100, -1)).work, 80n)
      // Since the difficulty could change: regtest has periods of 144 blocks.
      assert.strictEqual((yield* ask(-1, 7)).work, 14n)
      assert.deepStrictEqual(yield* ask(1, 0), { work: 0n, seconds: 0 })
      for (const [blocks, height] of [[0, -1], [-2, -1], [1, 41]] as const) {
        assert.strictEqual(shownError(yield* Effect.flip(ask(blocks, height))).code, INVALID_PARAMETER)
      }
    }))

  it.live("are the deployments that miners signal for, seen from any block", () =>
    Effect.gen(function*() {
      const engine = yield* testEngine({ directory: yield* temporaryDirectory })
      const main: Array<Planned> = []
      const on = (version: number): void => {
        main.push(plantOn(main.at(-1)?.node ?? plantedRoot(), main.length, 0n, version))
      }
      for (let height = 1; height < 150; height++) on(height === 145 || height === 147 ? 0x30000000 : 0x20000000)
      for (let height = 150; height < 290; height++) on(0x30000000)
      yield* submit(engine, main)
      const from = (height: number) =>
        Effect.map(
          engine.call("deployments", { hash: main[height - 1]!.node.hash }),
          (found) => found!.signalled[0]!
        )
      assert.deepInclude(yield* from(142), { name: "testdummy", bit: 28, state: "defined", since: 0, next: "defined" })
      assert.deepInclude(yield* from(143), { state: "defined", since: 0, next: "started", counted: undefined })
      assert.deepInclude(yield* from(144), { state: "started", since: 144, next: "started" })
      assert.deepStrictEqual((yield* from(148)).counted, {
        period: 144,
        threshold: 108,
        elapsed: 5,
        count: 2,
        possible: true,
        signalling: [false, true, false, true, false]
      })
      assert.deepInclude(yield* from(287), { state: "started", since: 144, next: "locked_in" })
      assert.deepInclude(yield* from(289), { state: "locked_in", since: 288, next: "locked_in" })
      assert.deepInclude(yield* engine.call("deployments", { hash: undefined }), { height: 289 })
      assert.isUndefined(yield* engine.call("deployments", { hash: new Uint8Array(32) }))
    }))
})
