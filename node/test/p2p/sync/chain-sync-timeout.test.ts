import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { noteChainOf, considerEviction } from "../../../src/p2p/sync/headers/chain-sync-timeout.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, minedChain } from "./chain-model.ts"
import { type MadePeerSync, madePeerSync } from "./made-peer-sync.ts"
import { SETTINGS } from "./sync-session.ts"
import { displayHash } from "../../../src/hex.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { plainState } from "./plain-preferences.ts"

const MINUTE = 60_000
const START = 1_700_000_000_000
const CHAIN = minedChain(40)

/** A node whose tip is at height 20 of a chain whose headers it knows up to 40. */
const world = Effect.fnUntraced(function*(minimumChainWork = 0n) {
  const model = chainModel(START / 1_000, minimumChainWork)
  for (const { bytes } of CHAIN) yield* model.chain.acceptHeaders(bytes)
  const { tree } = model.chain
  const at = (height: number): HeaderIndexNode => tree.nodes[height]!
  const tipAt = (height: number): void => {
    for (let next = tree.tip.height + 1; next <= height; next++) setTip(tree, at(next))
  }
  tipAt(20)
  model.initialBlockDownload = false
  return { model, at, tipAt, sync: syncState(model.context, SETTINGS, plainState(() => true)) }
})

const headersAsked = ({ peer }: MadePeerSync): number =>
  peer.sent.filter(({ command }) => command === "getheaders").length

describe("outbound peers that are protected for their chain", () => {
  it.effect("are four: a fifth with as good a chain is not, until one of them is gone", () =>
    Effect.gen(function*() {
      const { at, sync } = yield* world()
      const peers = Array.from({ length: 6 }, () => madePeerSync(sync, "outbound-full-relay", { best: at(20) }))
      for (const each of peers) noteChainOf(sync, each, false)
      assert.deepStrictEqual(peers.map(({ chainSync }) => chainSync.isProtected), [
        true,
        true,
        true,
        true,
        false,
        false
      ])
      sync.peers.delete(peers[0]!.peer.id)
      noteChainOf(sync, peers[5]!, false)
      assert.isTrue(peers[5]!.chainSync.isProtected)
      noteChainOf(sync, peers[4]!, false)
      assert.isFalse(peers[4]!.chainSync.isProtected)
    }))

  it.effect("are full-relay ones that we chose, with at least the work of our tip", () =>
    Effect.gen(function*() {
      const { at, sync } = yield* world()
      const shown = (kind: MadePeerSync["peer"]["kind"], best: HeaderIndexNode | undefined): boolean => {
        const peer = madePeerSync(sync, kind, { best })
        noteChainOf(sync, peer, false)
        return peer.chainSync.isProtected
      }
      assert.isFalse(shown("outbound-full-relay", undefined))
      assert.isFalse(shown("outbound-full-relay", at(19)))
      assert.isFalse(shown("block-relay-only", at(20)))
      assert.isFalse(shown("inbound", at(20)))
      assert.isFalse(shown("manual", at(20)))
      assert.isTrue(shown("outbound-full-relay", at(21)))
    }))

  it.effect("stay, however far behind they fall", () =>
    Effect.gen(function*() {
      const { at, sync, tipAt } = yield* world()
      const peer = madePeerSync(sync, "outbound-full-relay", { best: at(20) })
      noteChainOf(sync, peer, false)
      tipAt(40)
      for (let minute = 0; minute < 100; minute++) {
        considerEviction(sync, peer, unixMilliseconds(START + minute * MINUTE))
      }
      assert.deepStrictEqual([peer.peer.isGone, headersAsked(peer)], [false, 0])
    }))
})

describe("an outbound peer whose chain has too little work", () => {
  it.effect("is disconnected in the initial download once it has shown all it has", () =>
    Effect.gen(function*() {
      const { at, model, sync } = yield* world(2n * 31n)
      const shown = (
        hasMore: boolean,
        best: HeaderIndexNode,
        kind: MadePeerSync["peer"]["kind"] = "outbound-full-relay"
      ): boolean => {
        const peer = madePeerSync(sync, kind, { best })
        noteChainOf(sync, peer, hasMore)
        return peer.peer.isGone
      }
      assert.isFalse(shown(false, at(29)), "the node is not in its initial download")
      model.initialBlockDownload = true
      assert.isTrue(shown(false, at(29)))
      assert.isTrue(shown(false, at(29), "block-relay-only"))
      assert.isFalse(shown(true, at(29)), "it may have more")
      assert.isFalse(shown(false, at(30)), "its work is just enough")
      assert.isFalse(shown(false, at(29), "inbound"))
    }))
})

describe("an outbound peer whose chain is behind ours", () => {
  it.effect("is asked once more after 20 minutes and disconnected 2 minutes later", () =>
    Effect.gen(function*() {
      const { at, model, sync } = yield* world()
      const said: Array<string> = []
      Object.assign(model.context.notify, {
        trace: (each: TraceEvent) => void said.push(...coreTexts(each))
      })
      const peer = madePeerSync(sync, "outbound-full-relay", { best: at(19) })
      considerEviction(sync, peer, unixMilliseconds(START))
      considerEviction(sync, peer, unixMilliseconds(START + 20 * MINUTE))
      assert.strictEqual(headersAsked(peer), 0)
      considerEviction(sync, peer, unixMilliseconds(START + 20 * MINUTE + 1))
      assert.strictEqual(headersAsked(peer), 1)
      const asked = peer.peer.sent.find(({ command }) => command === "getheaders") as {
        readonly locator: ReadonlyArray<Uint8Array>
      }
      assert.deepStrictEqual(asked.locator[0], at(19).hash, "the locator begins at the parent of the tip it must reach")
      considerEviction(sync, peer, unixMilliseconds(START + 22 * MINUTE + 1))
      assert.isFalse(peer.peer.isGone)
      considerEviction(sync, peer, unixMilliseconds(START + 22 * MINUTE + 2))
      assert.strictEqual(peer.peer.gone?.reason, "chain sync timeout")
      assert.deepStrictEqual(said, [
        `Outbound peer has old chain, best known block = ${
          displayHash(at(19).hash)
        }, disconnecting peer=${peer.peer.id}`
      ])
    }))

  it.effect("gets its time anew when it reaches the tip that we had when the time began", () =>
    Effect.gen(function*() {
      const { at, sync, tipAt } = yield* world()
      const peer = madePeerSync(sync, "outbound-full-relay", { best: at(19) })
      considerEviction(sync, peer, unixMilliseconds(START))
      tipAt(30)
      peer.best = at(20)
      considerEviction(sync, peer, unixMilliseconds(START + 20 * MINUTE))
      considerEviction(sync, peer, unixMilliseconds(START + 40 * MINUTE))
      assert.strictEqual(headersAsked(peer), 0)
      considerEviction(sync, peer, unixMilliseconds(START + 40 * MINUTE + 1))
      assert.strictEqual(headersAsked(peer), 1)
    }))

  it.effect("has nothing to fear any more once it has the work of our tip", () =>
    Effect.gen(function*() {
      const { at, sync } = yield* world()
      const peer = madePeerSync(sync, "outbound-full-relay")
      considerEviction(sync, peer, unixMilliseconds(START))
      assert.notStrictEqual(peer.chainSync.timeout, 0)
      peer.best = at(20)
      considerEviction(sync, peer, unixMilliseconds(START + MINUTE))
      assert.deepStrictEqual([peer.chainSync.timeout, peer.chainSync.goal], [0, undefined])
    }))

  it.effect("is not tried when it was never asked for headers, or is none that we chose", () =>
    Effect.gen(function*() {
      const { sync } = yield* world()
      const peers = [
        madePeerSync(sync, "outbound-full-relay", { syncStarted: false }),
        madePeerSync(sync, "inbound"),
        madePeerSync(sync, "manual")
      ]
      for (const peer of peers) considerEviction(sync, peer, unixMilliseconds(START))
      assert.deepStrictEqual(peers.map(({ chainSync }) => chainSync.timeout), [0, 0, 0])
    }))
})
