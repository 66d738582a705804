import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { blockChecked } from "../../../src/p2p/sync/blocks/block-intake.ts"
import { noteAsked } from "../../../src/p2p/sync/blocks/blocks-in-flight.ts"
import { requestBlocks, watchBlocks } from "../../../src/p2p/sync/blocks/download.ts"
import { receiveNotFoundBlocks } from "../../../src/p2p/sync/blocks/not-found-blocks.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { SETTINGS } from "./sync-session.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { plainState } from "./plain-preferences.ts"

const START = 1_700_000_000_000
const CHAIN = minedChain(40)

const world = Effect.fnUntraced(function*() {
  const model = chainModel(START / 1_000)
  for (const { bytes } of CHAIN) yield* model.chain.acceptHeaders(bytes)
  const sync = syncState(model.context, SETTINGS, plainState(() => true))
  /** A peer that holds up the window since `since`. */
  const staller = (since: number): PeerSync & { readonly peer: { readonly gone: unknown } } =>
    madePeerSync(sync, "outbound-full-relay", { stallingSince: since })
  return { model, sync, staller }
})

/** How long after it began to hold up the window the peer is disconnected, in milliseconds. */
const borne = (state: Effect.Success<ReturnType<typeof world>>): number => {
  const peer = state.staller(START)
  for (let waited = 0; waited <= 100_000; waited += 500) {
    watchBlocks(state.sync, peer, unixMilliseconds(START + waited))
    if (peer.peer.isGone) return waited
  }
  throw new Error("it was never disconnected")
}

describe("a peer that holds up the download window", () => {
  it.effect("is disconnected after 2 s; each one more is given twice as long, up to 64 s", () =>
    Effect.gen(function*() {
      const state = yield* world()
      const waits = Array.from({ length: 8 }, () => borne(state))
      assert.deepStrictEqual(waits, [2_500, 4_500, 8_500, 16_500, 32_500, 64_500, 64_500, 64_500])
    }))

  it.effect("is given less again with each block that connects, by 15 percent, and never less than 2 s", () =>
    Effect.gen(function*() {
      const state = yield* world()
      for (let i = 0; i < 3; i++) borne(state)
      assert.strictEqual(state.sync.stallTimeout, 16_000)
      blockChecked(state.sync, state.model.chain.tree.tip, undefined)
      assert.approximately(state.sync.stallTimeout, 13_600, 1e-6)
      blockChecked(state.sync, state.model.chain.tree.tip, { reason: "bad-txns", class: "invalid", rule: undefined })
      assert.approximately(state.sync.stallTimeout, 13_600, 1e-6)
      for (let i = 0; i < 40; i++) blockChecked(state.sync, state.model.chain.tree.tip, undefined)
      assert.strictEqual(state.sync.stallTimeout, 2_000)
    }))

  it.effect("is not blamed while its messages wait for the engine", () =>
    Effect.gen(function*() {
      const { staller, sync } = yield* world()
      const peer = staller(START)
      peer.isHeldUp = true
      watchBlocks(sync, peer, unixMilliseconds(START + 60_000))
      assert.isFalse(peer.peer.isGone)
      assert.strictEqual(peer.stallingSince, 0)
      assert.strictEqual(peer.downloadingSince, START + 60_000)
    }))
})

describe("a block that was asked for and does not come", () => {
  /** Peers that each owe a block since the start. */
  const owing = Effect.fnUntraced(function*(count: number, more: Partial<PeerSync> = {}) {
    const { model, sync } = yield* world()
    const nodes = model.chain.tree.nodes
    const peers = Array.from({ length: count }, (_, i) => {
      const peer = madePeerSync(sync, "outbound-full-relay", more)
      noteAsked(sync, peer, nodes[i + 1]!, unixMilliseconds(START))
      return peer
    })
    return { model, sync, peers }
  })

  it.effect("ends the connection after one interval of ten minutes when no other peer can send it", () =>
    Effect.gen(function*() {
      const { peers: [peer], sync } = yield* owing(1)
      watchBlocks(sync, peer!, unixMilliseconds(START + 600_000))
      assert.isFalse(peer!.peer.isGone)
      watchBlocks(sync, peer!, unixMilliseconds(START + 600_001))
      assert.strictEqual(peer!.peer.gone?.reason, "block download timeout")
    }))

  it.effect("is waited for half an interval longer for each other peer that blocks are awaited from", () =>
    Effect.gen(function*() {
      const { peers: [peer], sync } = yield* owing(3)
      watchBlocks(sync, peer!, unixMilliseconds(START + 1_200_000))
      assert.isFalse(peer!.peer.isGone)
      watchBlocks(sync, peer!, unixMilliseconds(START + 1_200_001))
      assert.isTrue(peer!.peer.isGone)
    }))

  it.effect("is asked of others after the time that is set; the second time its peer is disconnected", () =>
    Effect.gen(function*() {
      const { model, peers: [peer, other], sync } = yield* owing(2)
      other!.best = model.chain.tree.bestHeader
      watchBlocks(sync, peer!, unixMilliseconds(START + 30_000))
      assert.strictEqual(peer!.inFlight.size, 1)
      watchBlocks(sync, peer!, unixMilliseconds(START + 30_001))
      assert.deepStrictEqual([peer!.inFlight.size, peer!.lateBlocks, peer!.peer.isGone], [0, 1, false])
      assert.strictEqual(peer!.pausedUntil, START + 60_001)
      assert.strictEqual(sync.inFlight.size, 1)
      noteAsked(sync, peer!, model.chain.tree.nodes[1]!, unixMilliseconds(START + 60_002))
      watchBlocks(sync, peer!, unixMilliseconds(START + 60_002 + 30_001))
      assert.strictEqual(peer!.peer.gone?.reason, "does not send requested blocks")
    }))

  it.effect("and that its peer says it does not have is asked of others at once, and nothing of that peer for a while", () =>
    Effect.gen(function*() {
      const { model, peers: [peer, other], sync } = yield* owing(2)
      const { bestHeader, nodes } = model.chain.tree
      const now = model.context.environment.now()
      for (const each of [peer!, other!]) each.best = bestHeader
      receiveNotFoundBlocks(sync, peer!, [nodes[2]!.hash, new Uint8Array(32)])
      assert.deepStrictEqual([peer!.inFlight.size, other!.inFlight.size, peer!.pausedUntil], [1, 1, 0])
      receiveNotFoundBlocks(sync, peer!, [nodes[1]!.hash])
      assert.deepStrictEqual([peer!.inFlight.size, sync.inFlight.size, peer!.lateBlocks], [0, 1, 0])
      requestBlocks(sync, peer!, unixMilliseconds(now + 29_999))
      assert.strictEqual(peer!.inFlight.size, 0)
      requestBlocks(sync, other!, unixMilliseconds(now + 29_999))
      assert.isTrue(other!.inFlight.has(nodes[1]!.index))
      requestBlocks(sync, peer!, unixMilliseconds(now + 30_000))
      assert.isAbove(peer!.inFlight.size, 0)
    }))
})
