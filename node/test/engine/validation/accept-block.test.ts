import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { transactionOf } from "@lockstep/kernel/model"
import type { RuleId } from "@lockstep/kernel/rule-ids"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { blockPlace, forgetPlaces } from "../../../src/engine/header-index/block-place.ts"
import { isInvalid, isLinked, nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { identified, type IdentifiedBlock, identifiedWithRoots } from "../../../src/engine/state/identified-block.ts"
import { acceptBlock } from "../../../src/engine/validation/accept-block.ts"
import { blockOf } from "../../../src/engine/validation/read-block.ts"
import { nodeEvent } from "../../../src/events/node-event.ts"
import { displayHash } from "../../../src/hex.ts"
import type { FilePosition } from "../../../src/storage/block-files/block-files.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, type Planned, plantedRoot, plantOn } from "../planted-blocks.ts"
import { blockOn, spend, TRUE } from "../spending-blocks.ts"
import { testCrypto, testEngine } from "../test-engine.ts"

const main = plantChain(plantedRoot(), 3)
const side = plantChain(plantedRoot(), 5, 64)

const opened = Effect.gen(function*() {
  const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
  const { tree } = chain
  const nodeAt = (block: Planned) => nodeOf(tree, block.node.hash)!
  return {
    tree,
    nodeAt,
    tip: () => tree.tip.hash,
    receive: (blocks: ReadonlyArray<Planned>) =>
      Effect.forEach(blocks, (block) => call("submitBlock", { bytes: block.bytes.slice() })),
    learn: (blocks: ReadonlyArray<Planned>) =>
      call("acceptHeaders", { headers: concatBytes(blocks.map(({ bytes }) => bytes.subarray(0, 80))) }),
    prune: (blocks: ReadonlyArray<Planned>) => {
      for (const block of blocks) {
        forgetPlaces(tree, nodeAt(block))
        chain.recent.remove(nodeAt(block).index)
      }
    }
  }
})

describe("a pruned block that is received again", () => {
  it.live("lets the chain reach blocks above it that were given up while it was missing", () =>
    Effect.gen(function*() {
      const { prune, receive, tip } = yield* opened
      yield* receive([...main, ...side.slice(0, 2)])
      prune(side.slice(0, 2))
      yield* receive(side.slice(2))
      assert.deepStrictEqual(tip(), main[2]!.node.hash, "two blocks on the way are not here")
      yield* receive([side[1]!])
      assert.deepStrictEqual(tip(), main[2]!.node.hash, "one block on the way is not here")
      yield* receive([side[0]!])
      assert.deepStrictEqual(tip(), side[4]!.node.hash)
    }).pipe(Effect.scoped))

  it.live("waits for the block before it as it did, and is not linked twice", () =>
    Effect.gen(function*() {
      const { learn, nodeAt, prune, receive, tip, tree } = yield* opened
      yield* learn(side)
      yield* receive(side.slice(1))
      prune([side[1]!])
      yield* receive([side[1]!])
      assert.isFalse(isLinked(tree, nodeAt(side[1]!)))
      yield* receive([side[0]!])
      assert.deepStrictEqual(tip(), side[4]!.node.hash)
      assert.strictEqual(tree.columns.chainTransactions[nodeAt(side[4]!).index], 6)
      assert.strictEqual(tree.unlinked.size, 0)
    }).pipe(Effect.scoped))

  it.live("leaves the chain and its candidates as they are when it is one of the active chain", () =>
    Effect.gen(function*() {
      const { nodeAt, prune, receive, tip, tree } = yield* opened
      yield* receive(main)
      prune([main[0]!])
      yield* receive([main[0]!])
      assert.deepStrictEqual(tip(), main[2]!.node.hash)
      assert.deepStrictEqual([...tree.candidates], [nodeAt(main[2]!)])
      assert.isDefined(blockPlace(tree, nodeAt(main[0]!)))
    }).pipe(Effect.scoped))
})

const SPOILED = (bytes: Uint8Array): Uint8Array => {
  // The nonce of the coinbase is the last witness before the lock time.
  const spoiled = bytes.slice()
  spoiled[spoiled.length - 5]! ^= 1
  return spoiled
}

const foundIn = (bytes: Uint8Array): IdentifiedBlock => identifiedWithRoots(blockOf(bytes.slice())!, testCrypto)

describe("a block that arrives", () => {
  it.live("is reported with the rule it breaks, and leaves its header invalid unless it does not match that", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      const { chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        options: { notifiesTips: true },
        news: (each) => void news.push(each)
      })
      const early = transactionOf({
        ...spend(new Uint8Array(32).fill(7), 0, [{ value: 0n, script: TRUE }]),
        inputs: [{
          prevout: { txid: new Uint8Array(32).fill(7), vout: 0 },
          script: new Uint8Array(),
          sequence: 0,
          witness: []
        }],
        lockTime: 1_000
      })
      const nonFinal = blockOn(plantedRoot(), [early])
      const orphan = side[1]!
      const observed = Effect.fnUntraced(function*(bytes: Uint8Array) {
        news.splice(0)
        const found = foundIn(bytes)
        const { hash } = found.identity
        const accepted = yield* acceptBlock(chain, found)
        assert.isTrue(Result.isFailure(accepted))
        const rejection = Result.isFailure(accepted) ? accepted.failure : undefined
        assert.deepStrictEqual(news, [{ _tag: "Refused", hash, why: { what: "block", rejection: rejection! } }])
        const events = chain.pendingNotifications.splice(0).flatMap((each) => each._tag === "Event" ? [each.event] : [])
        const node = nodeOf(chain.tree, hash)
        return [rejection!.reason, events, node && isInvalid(chain.tree, node)]
      })
      const violated = (hash: Uint8Array, reason: string, rule: RuleId) => [
        nodeEvent("ConsensusRuleViolation", { block_hash: displayHash(hash), reason, rule })
      ]
      const spoiled = yield* observed(SPOILED(main[0]!.bytes))
      const BAD_WITNESS = "bad-witness-merkle-match, CheckWitnessMalleation : witness merkle commitment mismatch"
      assert.deepStrictEqual(spoiled, [
        "bad-witness-merkle-match",
        violated(main[0]!.node.hash, BAD_WITNESS, "BLK-012"),
        false
      ])
      const final = yield* observed(nonFinal.bytes)
      assert.deepStrictEqual([final[0], final[2]], ["bad-txns-nonfinal", true])
      assert.deepStrictEqual(yield* observed(nonFinal.bytes), ["duplicate-invalid", [], true])
      assert.deepStrictEqual(yield* observed(plantOn(nonFinal.node, 9).bytes), ["bad-prevblk", [], undefined])
      assert.deepStrictEqual(yield* observed(orphan.bytes), ["prev-blk-not-found", [], undefined])
    }).pipe(Effect.scoped))

  it.live("is kept where it is wanted and new, appended or where it is already, and remembered without evicting what is next", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const done: Array<unknown> = []
      const engine = {
        ...chain,
        files: {
          ...chain.files,
          adoptBlock: (...given: ReadonlyArray<unknown>) => void done.push(["adopt", ...given])
        },
        recent: {
          ...chain.recent,
          put: (index: number) => void done.push(["put", index]),
          offer: (index: number) => void done.push(["offer", index])
        },
        crashPoint: (name: string) => void done.push(name)
      }
      yield* call("acceptHeaders", { headers: concatBytes(main.map(({ bytes }) => bytes.subarray(0, 80))) })
      const accept = Effect.fnUntraced(function*(at: number, place?: FilePosition, wanted?: boolean) {
        const asked: Array<number> = []
        const want = wanted === undefined ? undefined : ({ height }: { readonly height: number }) => {
          asked.push(height)
          return wanted
        }
        const { isNew, node } = Result.getOrThrow(yield* acceptBlock(engine, foundIn(main[at]!.bytes), place, want))
        return { asked, isNew, done: done.splice(0), place: blockPlace(chain.tree, node) }
      })
      assert.deepStrictEqual(yield* accept(0, undefined, false), {
        asked: [1],
        isNew: false,
        done: [],
        place: undefined
      })
      const second = yield* accept(1, undefined, true)
      const size = main[1]!.bytes.length
      assert.deepInclude(second, { asked: [2], isNew: true, done: ["block-appended", ["offer", 2]] })
      assert.strictEqual(second.place?.size, size)
      assert.strictEqual(chain.tree.columns.transactions[2], 1)
      assert.deepStrictEqual(yield* accept(1, undefined, true), { ...second, asked: [], isNew: false, done: [] })
      const place = { file: 7, offset: 70, size }
      assert.deepStrictEqual(yield* accept(0, place), {
        asked: [],
        isNew: true,
        done: [["adopt", place, 1], ["put", 1]],
        place
      })
      assert.isTrue(isLinked(chain.tree, nodeOf(chain.tree, main[1]!.node.hash)!))
    }).pipe(Effect.scoped))
})

describe("a block that is about to be the tip", () => {
  it.live("is reported with its place and copies of its contents, out of the initial download and on the tip alone", () =>
    Effect.gen(function*() {
      const { chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const sent: Array<EngineNotification | "flush"> = []
      const engine = {
        ...chain,
        feed: { ...chain.feed, isFollowed: () => true, flush: () => void sent.push("flush") },
        notify: (each: EngineNotification) => void sent.push(each)
      }
      const accept = Effect.fnUntraced(function*(of: typeof engine, found: IdentifiedBlock) {
        const { node } = Result.getOrThrow(yield* acceptBlock(of, found))
        return { place: blockPlace(chain.tree, node)!, index: node.index, sent: sent.splice(0) }
      })
      const past = { ...engine, initialBlockDownload: false }
      const found = foundIn(main[0]!.bytes)
      const { index, place, sent: said } = yield* accept(past, found)
      const { contents, ...rest } = said[1] as Extract<EngineNotification, { _tag: "NewBlock" }>
      assert.deepStrictEqual([said[0], rest], ["flush", { _tag: "NewBlock", index, place }])
      const coinbase = found.block.transactions[0]!.bytes
      assert.deepStrictEqual(contents, { coinbase: coinbase.slice(), witnessIds: new Uint8Array(32) })
      assert.strictEqual(contents!.coinbase.buffer.byteLength, coinbase.length)
      assert.notStrictEqual(contents!.witnessIds, found.witnessIds)
      const withoutIds = identified(blockOf(side[0]!.bytes.slice())!, testCrypto)
      const other = yield* accept(past, withoutIds)
      assert.deepStrictEqual(other.sent, [
        "flush",
        { _tag: "NewBlock", index: other.index, place: other.place, contents: undefined }
      ])
      assert.deepStrictEqual((yield* accept(past, foundIn(main[1]!.bytes))).sent, [], "its parent is not the tip")
      assert.deepStrictEqual(
        (yield* accept({ ...engine, initialBlockDownload: true }, foundIn(plantOn(plantedRoot(), 3).bytes))).sent,
        []
      )
    }).pipe(Effect.scoped))

  it.live("is reported after its header, so that the replica of the header index knows it", () =>
    Effect.gen(function*() {
      const news: Array<string> = []
      const { call, chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        mockTime: PLANTED_AT,
        news: (each) => {
          if (each._tag === "Tree") news.push(`headers from ${each.update.from}`)
          if (each._tag === "NewBlock") news.push(`block ${each.index}`)
        }
      })
      const submit = (block: Planned) => call("submitBlock", { bytes: block.bytes.slice() })
      chain.initialBlockDownload = false
      yield* submit(main[0]!)
      assert.deepStrictEqual(news, [], "there is no replica")
      chain.feed.slice(0)
      yield* submit(main[1]!)
      assert.deepStrictEqual(news.slice(0, 2), ["headers from 2", "block 2"])
    }).pipe(Effect.scoped))
})
