import { assert, describe, it } from "@effect/vitest"
import { decodeBlock } from "@lockstep/kernel/model"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { makeSync } from "../../../src/p2p/sync/sync-part.ts"
import type { KeyValueStore } from "../../../src/storage/key-value/key-value-store.ts"
import { mine } from "../../engine/mempool/loose-transactions.ts"
import { testEngine } from "../../engine/test-engine.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testP2pChain, type TestP2pChain } from "../chain/test-p2p-chain.ts"
import { connectTo, settle, shakeHands } from "../peer/scripted-peer.ts"
import { testHost } from "../peer/test-host.ts"
import { SETTINGS } from "./sync-session.ts"
import { plainPreferences } from "./plain-preferences.ts"

const MINED = 1_750_000_000
/** As many as a peer is asked for at a time before it has shown how fast it is. */
const ASKED = 16
/** Blocks that it sends without being asked. */
const UNASKED = 3
const ALL = 1 + ASKED + UNASKED

const minedBlocks = Effect.gen(function*() {
  const miner = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: MINED })
  yield* mine(miner, ALL)
  const blocks: Array<MessageOf<"block">> = []
  for (let height = 1; height <= ALL; height++) {
    const { bytes } = (yield* loadBlock(miner.chain, activeAt(miner.chain.tree, height)!)).block
    const { header } = Result.getOrThrow(decodeBlock(bytes.slice()))
    blocks.push({ command: "block", header, bytes: bytes.slice() })
  }
  return blocks
}).pipe(Effect.scoped)

/**
 * A node out of the initial download that asks a peer for blocks. Counts batches; notes what was reported before it was on
 * disk.
 */
const behind = Effect.gen(function*() {
  const [first, ...later] = yield* minedBlocks
  const [others, unasked] = [later.slice(0, ASKED), later.slice(ASKED)]
  const disk = { commits: 0, height: 0 }
  const tooEarly: Array<number> = []
  let node: TestP2pChain | undefined
  const counting = (store: KeyValueStore): KeyValueStore => ({
    ...store,
    write: (fill) => {
      let height = 0
      const write = store.write((batch) => {
        height = node?.engine.chain.tree.tip.height ?? 0
        fill(batch)
      })
      // Slow enough that what does not wait for it is seen to come first.
      return Effect.tap(Effect.delay(write, 30), () =>
        Effect.sync(() => {
          disk.commits++
          disk.height = height
        }))
    }
  })
  const news = (item: EngineNotification): void => {
    const height = item._tag === "State"
      ? item.state.height
      : item._tag === "Event" && item.event.type === "NewBlock"
      ? item.event.payload.height
      : 0
    if (height > disk.height) tooEarly.push(height)
  }
  node = yield* testP2pChain({ directory: yield* temporaryDirectory, mockTime: MINED, store: counting, news })
  // Within the initial download until this one is connected, so it may be announced before it is on disk.
  yield* node.chain.acceptBlock(first!.bytes, true)
  yield* node.engine.call("flush", undefined)
  tooEarly.length = 0
  disk.commits = 0
  const judging = { now: 0, most: 0 }
  const acceptBlock: typeof node.chain.acceptBlock = (bytes, requested) =>
    Effect.suspend(() => {
      judging.most = Math.max(judging.most, ++judging.now)
      return Effect.tap(node.chain.acceptBlock(bytes, requested), () => Effect.sync(() => judging.now--))
    })
  const host = yield* testHost({
    chain: { ...node.chain, acceptBlock },
    start: MINED * 1_000,
    parts: (context) => Effect.map(makeSync(context, SETTINGS, plainPreferences(() => true)), ({ part }) => [part])
  })
  const peer = connectTo(host.host, host.magic, "outbound-full-relay")
  yield* shakeHands(peer)
  peer.say({ command: "headers", headers: others.map(({ header }) => header) })
  yield* settle
  const asked = peer.last("getdata").inventory.filter(({ type }) => type === InventoryType.WITNESS_BLOCK)
  assert.lengthOf(asked, ASKED)
  return { node, peer, others, unasked, disk, judging, tooEarly }
})

const untilPong = (peer: ReturnType<typeof connectTo>): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let tries = 0; tries < 1_000 && !peer.commands().includes("pong"); tries++) yield* Effect.sleep(5)
  })

describe("blocks of a peer, out of the initial download,", () => {
  it.live("that are there together are committed together, announced when they are on disk, and before the next message is answered", () =>
    Effect.gen(function*() {
      const { disk, node, others, peer, tooEarly } = yield* behind
      peer.say(...others, { command: "ping", nonce: 1n })
      yield* untilPong(peer)
      const { tree } = node.engine.chain
      assert.deepStrictEqual([tree.tip.height, disk.height, node.chain.state().height], [
        ASKED + 1,
        ASKED + 1,
        ASKED + 1
      ])
      assert.isBelow(disk.commits, ASKED / 2)
      assert.deepStrictEqual(tooEarly, [])
    }))

  it.live("are on disk before a message behind them is answered, also while more are awaited", () =>
    Effect.gen(function*() {
      const { disk, others, peer } = yield* behind
      peer.say(...others.slice(0, ASKED / 2), { command: "ping", nonce: 1n })
      yield* untilPong(peer)
      assert.strictEqual(disk.height, ASKED / 2 + 1)
    }))

  it.live("that come one at a time are each on disk before what follows is answered", () =>
    Effect.gen(function*() {
      const { disk, node, others, peer, tooEarly } = yield* behind
      for (const [i, block] of others.slice(0, 4).entries()) {
        peer.received.length = 0
        peer.say(block, { command: "ping", nonce: 1n })
        yield* untilPong(peer)
        assert.deepStrictEqual([disk.height, node.engine.chain.dirty], [i + 2, false])
      }
      assert.deepStrictEqual(tooEarly, [])
    }))

  it.live("that were not requested are judged one after another, however many it sends", () =>
    Effect.gen(function*() {
      const { disk, judging, others, peer, unasked } = yield* behind
      peer.say(...others, { command: "ping", nonce: 1n })
      yield* untilPong(peer)
      assert.isAbove(judging.most, 1)
      peer.received.length = 0
      judging.most = 0
      peer.say(...unasked, { command: "ping", nonce: 2n })
      yield* untilPong(peer)
      assert.deepStrictEqual([judging.most, disk.height], [1, ALL])
    }))
})
