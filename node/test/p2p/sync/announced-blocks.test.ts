import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { receiveBlockAnnouncements } from "../../../src/p2p/sync/blocks/announced-blocks.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { type MadePeerSync, madePeerSync } from "./made-peer-sync.ts"
import { SETTINGS } from "./sync-session.ts"
import { plainState } from "./plain-preferences.ts"

const CHAIN = minedChain(20)
const HASHES = CHAIN.map(hashOf)

/** A node that knows the first ten headers. */
const world = Effect.fnUntraced(function*() {
  const model = chainModel(CHAIN.at(-1)!.time)
  for (const { bytes } of CHAIN.slice(0, 10)) yield* model.chain.acceptHeaders(bytes)
  return { model, sync: syncState(model.context, SETTINGS, plainState(() => true)) }
})

const asked = ({ peer }: MadePeerSync, command: string): number =>
  peer.sent.filter((message) => message.command === command).length

describe("blocks that a peer names", () => {
  it.effect("and whose headers are missing bring one getheaders for a message (CVE-2024-52915)", () =>
    Effect.gen(function*() {
      const { sync } = yield* world()
      const peer = madePeerSync(sync, "outbound-full-relay")
      receiveBlockAnnouncements(sync, peer, HASHES.slice(10, 15))
      assert.strictEqual(asked(peer, "getheaders"), 1)
      assert.deepStrictEqual(peer.unknown, HASHES[14])
    }))

  it.effect("bring one request in all to a peer that headers do not come from", () =>
    Effect.gen(function*() {
      const { sync } = yield* world()
      const peer = madePeerSync(sync, "inbound", { syncStarted: false })
      receiveBlockAnnouncements(sync, peer, [HASHES[10]!])
      assert.deepStrictEqual([asked(peer, "getheaders"), peer.askedEarly], [1, true])
      // A peer that answered may be asked again: it is not the request under way that keeps the second one back.
      peer.askedForHeaders = 0
      receiveBlockAnnouncements(sync, peer, [HASHES[11]!])
      assert.strictEqual(asked(peer, "getheaders"), 1)
      const other = madePeerSync(sync, "inbound", { syncStarted: false })
      receiveBlockAnnouncements(sync, other, [HASHES[10]!])
      assert.strictEqual(asked(other, "getheaders"), 0, "the first that named the block was asked")
      receiveBlockAnnouncements(sync, other, [HASHES[11]!])
      assert.strictEqual(asked(other, "getheaders"), 1)
    }))

  it.effect("are asked for at once where their headers are here, and nothing is where they are stored", () =>
    Effect.gen(function*() {
      const { model, sync } = yield* world()
      model.initialBlockDownload = false
      const peer = madePeerSync(sync, "outbound-full-relay")
      receiveBlockAnnouncements(sync, peer, [HASHES[0]!])
      assert.deepStrictEqual([asked(peer, "getdata"), asked(peer, "getheaders")], [1, 0])
      const knowing = yield* world()
      knowing.model.initialBlockDownload = false
      for (const { bytes } of CHAIN.slice(0, 10)) yield* knowing.model.chain.acceptBlock(bytes, true)
      const second = madePeerSync(knowing.sync, "outbound-full-relay")
      receiveBlockAnnouncements(knowing.sync, second, [HASHES[9]!])
      assert.deepStrictEqual([asked(second, "getdata"), asked(second, "getheaders")], [0, 0])
    }))
})
