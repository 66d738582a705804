import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import type { HeaderNode } from "@lockstep/kernel/chain"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has, isInvalid, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import type { P2pChain } from "../../../src/p2p/chain/p2p-chain.ts"
import { plantChain, type Planned, PLANTED_AT, plantedRoot, plantOn } from "../../engine/planted-blocks.ts"
import { mine } from "../../engine/mempool/loose-transactions.ts"
import { maintenance } from "../../../src/maintenance/maintenance.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { assertSameTree } from "./same-tree.ts"
import { settled, testP2pChain } from "./test-p2p-chain.ts"
import { patience } from "../../process/patience.ts"

const ROOT = plantedRoot()

const started = Effect.gen(function*() {
  return yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
})

const headersOf = (planned: ReadonlyArray<Planned>): Uint8Array =>
  concatBytes(planned.map(({ bytes }) => bytes.slice(0, 80)))

const entryOf = ({ tree }: P2pChain, { node }: Planned) => nodeOf(tree, node.hash)!

/** Longer than any block takes. */
const LATE = patience(5_000)

/** Waits until a block is judged; answers why it was refused. */
const verdictOn = (chain: P2pChain, { hash }: HeaderNode) =>
  Effect.callback<string | undefined>((resume) => {
    const stop = chain.listen({
      judged: (node, rejection) => {
        if (Buffer.compare(node.hash, hash) !== 0) return
        stop()
        resume(Effect.succeed(rejection?.reason))
      }
    })
  }).pipe(Effect.timeout(LATE))

describe("the chain of the network layer", () => {
  it.live("takes in headers, then blocks in any order, and shows each step before it answers", () =>
    Effect.gen(function*() {
      const blocks = plantChain(ROOT, 12)
      const { chain, engine } = yield* started
      assert.deepStrictEqual(yield* chain.acceptHeaders(headersOf(blocks)), { accepted: 12, rejection: undefined })
      assert.strictEqual(chain.tree.bestHeader.height, 12)
      assert.strictEqual(chain.state().headersHeight, 12)
      const judged: Array<number> = []
      const tips: Array<number> = []
      chain.listen({
        judged: (node, rejection) => judged.push(rejection === undefined ? node.height : -1),
        tip: (tip, fork) => tips.push(fork.height, tip.height)
      })
      for (const { bytes, node } of [...blocks].reverse()) {
        const answer = yield* chain.acceptBlock(bytes.slice(), true)
        assert.deepStrictEqual(answer, { hash: node.hash, isNew: true, rejection: undefined })
        assert.isTrue(has(chain.tree, nodeOf(chain.tree, answer.hash)!, HeaderStatus.STORED))
      }
      yield* settled(engine)
      assert.deepStrictEqual(judged, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
      assert.deepStrictEqual([tips[0], tips.at(-1)], [0, 12])
      assert.strictEqual(chain.state().height, 12)
      assertSameTree(engine, chain)
      assert.deepStrictEqual(yield* chain.blockBytes(chain.tree.tip), blocks[11]!.bytes)
      assert.isFalse((yield* chain.acceptBlock(blocks[3]!.bytes.slice(), true)).isNew, "it was here")
    }))

  it.live("stops at the first header that is refused", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* started
      const [first, second, third] = plantChain(ROOT, 3)
      const { accepted, rejection } = yield* chain.acceptHeaders(headersOf([first!, third!]))
      assert.deepStrictEqual([accepted, rejection?.class], [1, "missing parent"])
      const tampered = headersOf([second!])
      // Another version: hardly ever enough work.
      for (tampered[0] = 0; tampered[0] < 255; tampered[0]++) {
        const answer = yield* chain.acceptHeaders(concatBytes([tampered]))
        if (answer.rejection === undefined) continue
        assert.strictEqual(answer.rejection.class, "invalid header")
        break
      }
      assertSameTree(engine, chain)
    }))

  it.live("distinguishes a block whose bytes were tampered with from an invalid one", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* started
      const good = plantOn(ROOT, 1)
      const tampered = good.bytes.slice()
      tampered[tampered.length - 20]! ^= 1
      const answer = yield* chain.acceptBlock(tampered, true)
      assert.deepStrictEqual([answer.rejection?.class, answer.isNew], ["mutated", false])
      assert.isUndefined(nodeOf(chain.tree, good.node.hash))
      const greedy = plantOn(ROOT, 2, 1n)
      const verdict = yield* Effect.forkChild(verdictOn(chain, greedy.node), { startImmediately: true })
      assert.deepInclude(yield* chain.acceptBlock(greedy.bytes.slice(), true), { isNew: true, rejection: undefined })
      const reason = yield* Fiber.join(verdict)
      assert.strictEqual(reason, "bad-cb-amount")
      yield* settled(engine)
      assert.isTrue(isInvalid(chain.tree, entryOf(chain, greedy)))
      const onTop = plantOn(greedy.node, 3)
      assert.strictEqual((yield* chain.acceptBlock(onTop.bytes.slice(), true)).rejection?.class, "invalid parent")
      assertSameTree(engine, chain)
    }))

  it.live("stores an unrequested block only where Bitcoin Core would", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* started
      const blocks = plantChain(ROOT, 300)
      const takes = (planned: Planned, requested = false) =>
        Effect.map(chain.acceptBlock(planned.bytes.slice(), requested), ({ isNew, rejection }) =>
          rejection?.reason ?? isNew)
      yield* chain.acceptHeaders(headersOf(blocks))
      assert.isTrue(yield* takes(blocks[0]!))
      yield* settled(engine)
      assert.isTrue(yield* takes(plantOn(ROOT, 90)), "as much work as the tip")
      assert.isTrue(yield* takes(blocks[1 + 287]!), "288 blocks ahead")
      assert.isFalse(yield* takes(blocks[1 + 288]!), "289 blocks ahead")
      assert.isTrue(yield* takes(blocks[1 + 288]!, true), "which was requested")
      for (const block of blocks.slice(1, 200)) {
        yield* takes(block, true)
      }
      yield* settled(engine)
      assert.strictEqual(chain.tree.tip.height, 200)
      const behind = plantOn(blocks[30]!.node, 91)
      assert.isFalse(yield* takes(behind), "a day behind the tip, and unheard of")
      assert.isUndefined(nodeOf(chain.tree, behind.node.hash))
      const [tooOld, oldest] = [plantOn(blocks[53]!.node, 93), plantOn(blocks[54]!.node, 93)]
      for (const each of [tooOld, oldest]) {
        assert.isFalse(yield* takes(each))
      }
      assert.isUndefined(nodeOf(chain.tree, tooOld.node.hash), "the work of 145 blocks behind the tip")
      assert.isDefined(nodeOf(chain.tree, oldest.node.hash), "of 144 blocks: its header is kept")
      const sibling = plantOn(blocks[197]!.node, 92)
      assert.isFalse(yield* takes(sibling), "less work than the tip")
      assert.isDefined(nodeOf(chain.tree, sibling.node.hash), "its header is kept")
      assert.isTrue(yield* takes(sibling, true))
      assertSameTree(engine, chain)
    }))

  it.live("passes over bytes that are no block", () =>
    Effect.gen(function*() {
      const { chain } = yield* started
      for (const bytes of [new Uint8Array(), new Uint8Array(80), plantOn(ROOT, 1).bytes.slice(0, -1)]) {
        assert.deepInclude(yield* chain.acceptBlock(bytes, true), { isNew: false, rejection: undefined })
      }
      assert.strictEqual(chain.tree.nodes.length, 1)
    }))

  it.live("goes to another branch when its blocks come in, and reports the fork", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* started
      const trunk = plantChain(ROOT, 5)
      const branch = plantChain(trunk[1]!.node, 5, 50)
      for (const { bytes } of trunk) yield* chain.acceptBlock(bytes.slice(), true)
      yield* settled(engine)
      yield* chain.acceptHeaders(headersOf(branch))
      const forks: Array<readonly [number, number]> = []
      chain.listen({ tip: (tip, fork) => forks.push([fork.height, tip.height]) })
      for (const { bytes } of [...branch].reverse()) yield* chain.acceptBlock(bytes.slice(), true)
      yield* settled(engine)
      assert.deepStrictEqual(forks, [[2, 7]])
      assert.deepStrictEqual(chain.tree.tip.hash, branch.at(-1)!.node.hash)
      assertSameTree(engine, chain)
    }))

  it.live("lets others have their turn while blocks are connected, and loses none", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* started
      const blocks = plantChain(ROOT, 250)
      yield* chain.acceptHeaders(headersOf(blocks))
      // Out of order, so that all of them can be connected when the last one comes.
      for (const { bytes } of blocks.slice(1)) yield* chain.acceptBlock(bytes.slice(), true)
      assert.strictEqual(chain.tree.tip.height, 0)
      yield* chain.acceptBlock(blocks[0]!.bytes.slice(), true)
      const coin = yield* engine.call("coin", { txid: new Uint8Array(32), vout: 0 })
      assert.isUndefined(coin)
      assert.isBelow(engine.chain.tree.tip.height, 250, "the question did not wait for all blocks")
      assert.strictEqual(engine.chain.underWay, 0)
      yield* verdictOn(chain, blocks.at(-1)!.node)
      yield* settled(engine)
      assert.strictEqual(chain.state().height, 250)
      assertSameTree(engine, chain)
    }))

  it.live("reports a block that came in another way, and nothing after the listener is removed", () =>
    Effect.gen(function*() {
      const { chain, defects, engine } = yield* started
      const [first, second, third] = plantChain(ROOT, 3)
      const received: Array<number> = []
      const stop = chain.listen({ judged: ({ height }) => received.push(height) })
      const stopBad = chain.listen({
        judged: () => {
          throw new Error("a listener of ours is broken")
        }
      })
      yield* engine.call("submitBlock", { bytes: first!.bytes.slice() })
      assert.deepStrictEqual(received, [1])
      assert.lengthOf(defects, 1)
      stopBad()
      yield* engine.call("submitBlock", { bytes: second!.bytes.slice() })
      stop()
      yield* engine.call("submitBlock", { bytes: third!.bytes.slice() })
      assert.deepStrictEqual(received, [1, 2])
      assert.strictEqual(chain.tree.tip.height, 3)
    }))

  it.live("knows what the pool takes while it is rather full", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* started
      assert.strictEqual(chain.poolRate?.(), 0)
      engine.chain.notify({ _tag: "PoolRate", rate: 777 })
      assert.strictEqual(chain.poolRate?.(), 777)
    }))

  it.live("passes on what a block confirms", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* started
      const received: Array<unknown> = []
      chain.listen({ confirmed: (transactions) => received.push(transactions) })
      const transactions = { txids: new Uint8Array(32), wtxids: new Uint8Array(32), spent: new Uint8Array(36) }
      engine.chain.notify({ _tag: "Confirmed", transactions })
      assert.deepStrictEqual(received, [transactions])
    }))

  it.live("answers no block whose bytes on disk are another's", () =>
    Effect.gen(function*() {
      const { chain, engine } = yield* started
      const [first, second] = plantChain(ROOT, 2)
      for (const { bytes } of [first!, second!]) yield* chain.acceptBlock(bytes.slice(), true)
      yield* settled(engine)
      const { columns } = engine.chain.tree
      columns.blockOffset[1] = columns.blockOffset[2]!
      assert.isUndefined(yield* chain.blockBytes(entryOf(chain, first!)))
      assert.deepStrictEqual(yield* chain.blockBytes(entryOf(chain, second!)), second!.bytes)
    }))

  it.live("shows what is pruned", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { chain, engine } = yield* testP2pChain({
        directory,
        mockTime: PLANTED_AT,
        maxFileBytes: 16_384,
        options: { pruning: { _tag: "Manual" } },
        extensions: [maintenance]
      })
      yield* mine(engine, 1100)
      yield* engine.call("pruneTo", { height: 500 })
      const [, first] = chain.tree.nodes
      assert.isTrue(has(chain.tree, first!, HeaderStatus.PRUNED))
      assert.isFalse(has(chain.tree, first!, HeaderStatus.STORED))
      assert.isUndefined(yield* chain.blockBytes(first!))
      assertSameTree(engine, chain)
    }))
})
