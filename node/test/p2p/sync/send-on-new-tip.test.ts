import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { compactState } from "../../../src/p2p/sync/compact-blocks/compact-state.ts"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { sendOnNewTip } from "../../../src/p2p/sync/send-on-new-tip.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainPreferences } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const CHAIN = minedChain(4)

/** A node whose tip is the last of four blocks, and which has to announce that one. */
const world = Effect.fnUntraced(function*() {
  const model = chainModel(CHAIN[3]!.time + 60)
  for (const { bytes } of CHAIN) yield* model.chain.acceptHeaders(bytes)
  for (const { bytes } of CHAIN) yield* model.chain.acceptBlock(bytes, true)
  const compact = compactState(plainPreferences(() => false), () => undefined)
  const sync = syncState(model.context, SETTINGS, compact)
  const node = (height: number) => nodeOf(model.chain.tree, hashOf(CHAIN[height - 1]!))!
  const peer = (more: Partial<PeerSync>) =>
    madePeerSync(sync, "inbound", { best: node(3), announcements: [node(4)], ...more })
  return { model, node, peer, sync }
})

describe("a new tip", () => {
  it.effect("is announced to every peer that is there, the sender of the block among them", () =>
    Effect.gen(function*() {
      const { node, peer, sync } = yield* world()
      const peers = [peer({}), peer({ isHeldUp: true, heldUpBy: 1 }), peer({ best: node(4) }), peer({})]
      Object.assign(peers[3]!.peer, { isGone: true })
      sendOnNewTip(sync)
      const inv: Message = { command: "inv", inventory: [{ type: InventoryType.BLOCK, hash: node(4).hash }] }
      assert.deepStrictEqual(peers.map(({ peer: { sent } }) => sent), [[inv], [inv], [], []])
      assert.deepStrictEqual(peers.map(({ announcements }) => announcements.length), [0, 0, 0, 1])
    }))

  it.effect("that is recent lets headers be requested at once from a peer that waited, unless nothing is taken in", () =>
    Effect.gen(function*() {
      const { model, peer, sync } = yield* world()
      const waiting = peer({ syncStarted: false, announcements: [] })
      model.halted = "disk-full"
      sendOnNewTip(sync)
      assert.deepStrictEqual(waiting.peer.sent, [])
      model.halted = undefined
      sendOnNewTip(sync)
      const [request] = waiting.peer.sent
      assert.isTrue(request?.command === "getheaders")
      if (request?.command !== "getheaders") return
      assert.deepStrictEqual(request.locator[0], hashOf(CHAIN[2]!))
    }))
})
