import { assert, describe, it } from "@effect/vitest"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { noteAsked } from "../../../src/p2p/sync/blocks/blocks-in-flight.ts"
import { maybePunishPeer } from "../../../src/p2p/sync/misbehavior.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { isSilent, slowPeerToReplace } from "../../../src/p2p/sync/blocks/reassign-slow-peer.ts"
import { requestBlock } from "../../../src/p2p/sync/blocks/request-block.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, minedChain, scriptedPeer } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainState } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const CHAIN = minedChain(20)
const START = 1_700_000_000_000

/** A node without blocks that knows so many headers, a peer that owes `count` of their blocks, and an idle one. */
const world = Effect.fnUntraced(function*(
  { count = 2, headers = 9, waited = 600 }: {
    readonly count?: number
    readonly headers?: number
    readonly waited?: number
  } = {},
  debtorIs: Partial<PeerSync> = {},
  idleIs: Partial<PeerSync> = {}
) {
  const model = chainModel(START / 1_000)
  for (const { bytes } of CHAIN.slice(0, headers)) yield* model.chain.acceptHeaders(bytes)
  const sync = syncState(model.context, SETTINGS, plainState(() => true))
  const debtor = madePeerSync(sync, "outbound-full-relay", { interval: 1_000, ...debtorIs })
  const idle = madePeerSync(sync, "outbound-full-relay", { interval: 10, ...idleIs })
  const nodes = model.chain.tree.nodes
  const owed = nodes.slice(1, 1 + count)
  for (const node of owed) noteAsked(sync, debtor, node, unixMilliseconds(START))
  return {
    debtor,
    idle,
    owed,
    sync,
    isReplaced: () => slowPeerToReplace(sync, idle, owed, unixMilliseconds(START + waited)) === debtor
  }
})

type Ways = Parameters<typeof world>
const replaced = (...ways: Ways) => Effect.map(world(...ways), ({ isReplaced }) => isReplaced())

describe("a slow peer's blocks are requested from an idle one", () => {
  it.effect("when more than eight blocks are missing", () =>
    Effect.gen(function*() {
      assert.isTrue(yield* replaced({ headers: 9 }))
      assert.isFalse(yield* replaced({ headers: 8 }))
    }))

  it.effect("when the first was requested half a second ago, and the peer is not held up", () =>
    Effect.gen(function*() {
      assert.isFalse(yield* replaced({ waited: 499 }))
      assert.isTrue(yield* replaced({ waited: 500 }))
      assert.isFalse(yield* replaced({}, { isHeldUp: true }))
    }))

  it.effect("when what it owes takes longer than a second", () =>
    Effect.gen(function*() {
      assert.isFalse(yield* replaced({ waited: 500 }, { interval: 500 }))
      assert.isTrue(yield* replaced({ waited: 500 }, { interval: 501 }))
    }))

  it.effect("when the other one is more than eight times as fast", () =>
    Effect.gen(function*() {
      assert.isFalse(yield* replaced({}, { interval: 1_000 }, { interval: 125 }))
      assert.isTrue(yield* replaced({}, { interval: 1_000 }, { interval: 124 }))
    }))

  it.effect("by how long it takes for the block that is awaited, once that is more than half a second", () =>
    Effect.gen(function*() {
      // Known to be quick, and slow this time.
      assert.isFalse(yield* replaced({ count: 3, waited: 500 }, { interval: 10 }))
      assert.isTrue(yield* replaced({ count: 3, waited: 501 }, { interval: 10 }))
      assert.isFalse(yield* replaced({ count: 1, waited: 1_000 }, { interval: 10 }))
      assert.isTrue(yield* replaced({ count: 1, waited: 1_001 }, { interval: 10 }))
      // It never sent a block: it is as slow as it was this time.
      assert.isFalse(yield* replaced({ count: 1, waited: 500 }, { interval: Infinity }))
      assert.isTrue(yield* replaced({ count: 1, waited: 1_001 }, { interval: Infinity }))
    }))

  it.effect("by what each sent since it was last measured, where it was never measured", () =>
    Effect.gen(function*() {
      // 4 blocks in 2 s: 500 ms each.
      const measuredSince = START - 1_500
      assert.isFalse(
        yield* replaced({ count: 2, waited: 500 }, { interval: Infinity, arrived: 4, measuredSince }, { interval: 10 })
      )
      assert.isTrue(
        yield* replaced({ count: 3, waited: 500 }, { interval: Infinity, arrived: 4, measuredSince }, { interval: 10 })
      )
      assert.isTrue(
        yield* replaced({ waited: 500 }, { interval: Infinity, arrived: 1, measuredSince }, { interval: 10 })
      )
      // A measured pace counts whatever has come since.
      assert.isTrue(yield* replaced({}, { interval: 1_000, arrived: 400, measuredSince }))
      // One that never sent a block is no faster.
      assert.isFalse(yield* replaced({}, {}, { interval: Infinity }))
    }))

  it.effect("not when nothing is owed, or it is not awaited", () =>
    Effect.gen(function*() {
      const { idle, owed, sync } = yield* world()
      const now = unixMilliseconds(START + 600)
      assert.isUndefined(slowPeerToReplace(sync, idle, [], now))
      sync.inFlight.delete(owed[0]!.index)
      assert.isUndefined(slowPeerToReplace(sync, idle, owed, now))
    }))

  it.effect("and it counts as silent when nothing came from it for more than half a second", () =>
    Effect.gen(function*() {
      const { debtor } = yield* world()
      debtor.peer.traffic.lastReceive = unixMilliseconds(START)
      assert.isFalse(isSilent(debtor, unixMilliseconds(START + 500)))
      assert.isTrue(isSilent(debtor, unixMilliseconds(START + 501)))
    }))
})

describe("a rejection", () => {
  /** Why a peer that sent it is discouraged: an inbound and an outbound one, by the whole block and as a compact one. */
  const punished = (kind: Rejection["class"], reason = "why") =>
    (["inbound", "outbound-full-relay"] as const).flatMap((direction) =>
      (["block", "cmpctblock"] as const).map((via) => {
        const peer = scriptedPeer(1, direction)
        const rejection = { reason, class: kind, rule: undefined }
        maybePunishPeer({ peer } as unknown as PeerSync, rejection, via)
        return peer.gone === undefined ? "" : `${peer.gone.reason} ${peer.gone.discouraged}`
      })
    )

  const VIA_COMPACT = "invalid header via cmpctblock true"

  it("is held against the sender by its class", () => {
    const always = ["why true", VIA_COMPACT, "why true", VIA_COMPACT]
    const onlyWhole = ["why true", "", "why true", ""]
    assert.deepStrictEqual(punished("invalid header"), always)
    assert.deepStrictEqual(punished("invalid parent"), always)
    assert.deepStrictEqual(punished("missing parent"), always)
    assert.deepStrictEqual(punished("invalid"), onlyWhole)
    assert.deepStrictEqual(punished("mutated"), ["mutated block: why true", "", "mutated block: why true", ""])
    assert.deepStrictEqual(punished("mutated", "mutated block")[0], "mutated block true")
    assert.deepStrictEqual(punished("known invalid"), ["", "", "why true", ""])
    assert.deepStrictEqual(punished("too far in the future"), ["", "", "", ""])
    const peer = scriptedPeer(1, "inbound")
    const rejection = { reason: "time-too-old", class: "invalid header", rule: undefined } as const
    maybePunishPeer({ peer } as unknown as PeerSync, rejection, "headers")
    assert.strictEqual(peer.gone?.reason, "invalid header received: time-too-old")
  })
})

describe("one block that an operator requests", () => {
  it.effect("is requested from that peer alone, or it is said why not", () =>
    Effect.gen(function*() {
      const { debtor, idle, owed: [first, second], sync } = yield* world()
      assert.strictEqual(requestBlock(sync, scriptedPeer(9, "inbound"), first!), "Peer does not exist")
      const old = madePeerSync(sync, "inbound", { servesWitnesses: false })
      assert.strictEqual(requestBlock(sync, old.peer, first!), "Pre-SegWit peer")
      assert.strictEqual(requestBlock(sync, debtor.peer, first!), "Already requested from this peer")
      assert.isUndefined(requestBlock(sync, idle.peer, first!))
      assert.deepStrictEqual([...idle.inFlight.keys()], [first!.index])
      assert.deepStrictEqual([...debtor.inFlight.keys()], [second!.index])
      assert.deepStrictEqual(idle.peer.sent.map(({ command }) => command), ["getdata"])
    }))
})
