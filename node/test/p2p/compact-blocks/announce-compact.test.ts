import { assert, describe, it } from "@effect/vitest"
import { decodeBlock } from "@lockstep/kernel/model"
import { shortId, shortIdKey } from "@lockstep/protocol/wire/compact-block/short-id.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { announceEarly } from "../../../src/p2p/sync/compact-blocks/announce-compact.ts"
import { chooseForHighBandwidth } from "../../../src/p2p/sync/compact-blocks/choose-peers.ts"
import { compactForms } from "../../../src/p2p/sync/compact-blocks/compact-forms.ts"
import { compactState } from "../../../src/p2p/sync/compact-blocks/compact-state.ts"
import { blockAnnouncePreferences } from "../../../src/p2p/relay/block-announce-preferences.ts"
import { announceBlocks } from "../../../src/p2p/sync/announce.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { chainModel, hashOf, minedChain, REGTEST } from "../sync/chain-model.ts"
import { type MadePeerSync, madePeerSync } from "../sync/made-peer-sync.ts"
import { plainPreferences } from "../sync/plain-preferences.ts"
import { SETTINGS } from "../sync/sync-session.ts"

const CHAIN = minedChain(12)

/** A node with a chain of twelve, which holds blocks of no transactions where `hasBlocks`. */
const made = Effect.fnUntraced(function*({ hasBlocks = true, isOn = true, segwit = 0 } = {}) {
  const model = chainModel(CHAIN.at(-1)!.time)
  for (const { bytes } of CHAIN) {
    yield* model.chain.acceptHeaders(bytes)
    yield* model.chain.acceptBlock(bytes, true)
  }
  const read: Array<number> = []
  const { heights } = REGTEST.parameters
  const context = {
    ...model.context,
    network: { ...REGTEST, parameters: { ...REGTEST.parameters, heights: { ...heights, segwit } } },
    chain: {
      ...model.chain,
      blockBytes: (node: { readonly height: number; readonly header: { readonly bytes: Uint8Array } }) =>
        Effect.map(Effect.yieldNow, () => {
          read.push(node.height)
          return hasBlocks ? new Uint8Array([...node.header.bytes, ...REGTEST.genesisBlock.subarray(80)]) : undefined
        })
    }
  }
  const forms = yield* compactForms(context)
  const wishes = { prefersCompact: true, servesCompact: true }
  const { preferences } = plainPreferences(() => false)
  const sync = syncState(
    context,
    SETTINGS,
    compactState({
      preferences: {
        ...preferences,
        prefersCompact: () => wishes.prefersCompact,
        servesCompact: () => wishes.servesCompact
      },
      forms,
      isOn
    }, (effect) => void Effect.runFork(effect))
  )
  const at = (height: number) => nodeOf(model.chain.tree, hashOf(CHAIN[height - 1]!))!
  return {
    at,
    forms,
    read,
    sync,
    wishes,
    add: (more: Partial<PeerSync> = {}, kind: "inbound" | "outbound-full-relay" = "inbound") =>
      madePeerSync(sync, kind, { best: at(9), ...more })
  }
})

/** Lets what was forked run. */
const settle = Effect.forEach([1, 2, 3, 4], () => Effect.yieldNow)
const sent = ({ peer }: MadePeerSync) => peer.sent.map(({ command }) => command)

describe("a block that is about to become the tip", () => {
  it.effect("goes to peers that want it at once, once for each height, and is read once", () =>
    Effect.gen(function*() {
      const { add, at, read, sync } = yield* made()
      const [one, other] = [add(), add()]
      announceEarly(sync, at(10))
      yield* settle
      assert.deepStrictEqual([sent(one), sent(other), read], [["cmpctblock"], ["cmpctblock"], [10]])
      assert.deepStrictEqual([one.bestSent?.height, sync.compact.figures.announced], [10, { early: 2, late: 0 }])
      assert.isTrue(one.peer.announcements.isSettled())
      announceEarly(sync, at(10))
      announceEarly(sync, at(9))
      yield* settle
      assert.deepStrictEqual(sent(one), ["cmpctblock"])
      announceEarly(sync, at(11))
      assert.isFalse(one.peer.announcements.isSettled())
      yield* settle
      assert.deepStrictEqual(sent(one), ["cmpctblock", "cmpctblock"])
    }))

  it.effect("does not go to a peer that has it, has not its parent, is gone, is older, or does not want it", () =>
    Effect.gen(function*() {
      const { add, at, sync, wishes } = yield* made()
      const peers = [add({ best: at(10) }), add({ best: at(8) }), add(), add(), add()]
      Object.assign(peers[2]!.peer, { isGone: true })
      Object.assign(peers[3]!.peer, { hello: { ...peers[3]!.peer.hello, version: 70_014 } })
      Object.assign(peers[4]!.peer, { hello: undefined })
      const last = add()
      Object.assign(last.peer, { hello: { ...last.peer.hello, version: 70_015 } })
      // What it announced is known by now.
      const announced = add({ best: undefined, unknown: hashOf(CHAIN[8]!) })
      announceEarly(sync, at(10))
      yield* settle
      assert.deepStrictEqual(peers.map(sent), [[], [], [], [], []])
      assert.deepStrictEqual([sent(last), sent(announced)], [["cmpctblock"], ["cmpctblock"]])
      wishes.prefersCompact = false
      const other = add()
      announceEarly(sync, at(11))
      yield* settle
      assert.deepStrictEqual(sent(other), [])
    }))

  it.effect("goes out early only where witnesses are the rule", () =>
    Effect.gen(function*() {
      const { add, at, sync } = yield* made({ segwit: 11 })
      const to = add({ best: at(9) })
      announceEarly(sync, at(10))
      yield* settle
      assert.deepStrictEqual(sent(to), [])
      const next = add({ best: at(10) })
      announceEarly(sync, at(11))
      yield* settle
      assert.deepStrictEqual(sent(next), ["cmpctblock"])
    }))

  it.effect("goes out by its header where it cannot be read", () =>
    Effect.gen(function*() {
      const { add, at, sync } = yield* made({ hasBlocks: false })
      const to = add()
      announceEarly(sync, at(10))
      yield* settle
      assert.deepStrictEqual(sent(to), ["headers"])
    }))
})

describe("a new tip", () => {
  it.effect("goes as a compact block to a peer that wants it so, one at a time", () =>
    Effect.gen(function*() {
      const { add, at, sync } = yield* made()
      const to = add({ best: at(11) })
      to.announcements.push(at(12))
      announceBlocks(sync, to)
      yield* settle
      assert.deepStrictEqual([sent(to), sync.compact.figures.announced], [["cmpctblock"], { early: 0, late: 1 }])
      const two = add({ best: at(10) })
      two.announcements.push(at(11), at(12))
      announceBlocks(sync, two)
      assert.deepStrictEqual(sent(two), ["inv"])
    }))
})

describe("the compact form of a block", () => {
  it.effect("is kept for the highest block, and made anew for a lower one", () =>
    Effect.gen(function*() {
      const { at, forms, read } = yield* made()
      assert.isUndefined(forms.kept(at(10)))
      const first = yield* forms.of(at(10))
      assert.strictEqual((yield* first!.block)?.transactions.length, 1)
      assert.strictEqual(yield* forms.of(at(10)), first)
      yield* forms.of(at(9))
      assert.deepStrictEqual(read, [10, 9])
      assert.strictEqual(yield* forms.kept(at(10))!, first)
      yield* forms.of(at(11))
      assert.isUndefined(forms.kept(at(10)))
      assert.isDefined(forms.kept(at(11)))
    }))

  it.effect("is made of what the engine has said of a new block, which is read for its transactions alone", () =>
    Effect.gen(function*() {
      const { at, forms, read } = yield* made()
      const { transactions: [coinbase] } = Result.getOrThrow(decodeBlock(REGTEST.genesisBlock))
      const witnessIds = new Uint8Array(96).fill(7)
      forms.note(at(10), { coinbase: coinbase!.bytes, witnessIds })
      forms.note(at(11), undefined)
      const form = yield* forms.of(at(10))
      const { message: { header, nonce, prefilled, shortIds } } = form!
      const id = shortId(shortIdKey(at(10).header, nonce, testCrypto), witnessIds.subarray(0, 32))
      assert.deepStrictEqual([header.bytes, shortIds], [at(10).header.bytes, [id, id]])
      assert.deepStrictEqual(prefilled.map(({ index, transaction }) => [index, transaction.bytes]), [
        [0, coinbase!.bytes]
      ])
      assert.deepStrictEqual(read, [])
      const blocks = yield* Effect.all([form!.block, form!.block], { concurrency: 2 })
      assert.deepStrictEqual(blocks.map((block) => block?.transactions.length), [1, 1])
      assert.deepStrictEqual(read, [10])
      yield* forms.of(at(11))
      assert.deepStrictEqual(read, [10, 11])
    }))
})

describe("the peer that delivered a block", () => {
  it.effect("is asked for compact blocks unrequested, and the one that goes for it is reported", () =>
    Effect.gen(function*() {
      const { add, sync } = yield* made()
      const peers = [add(), add(), add(), add()]
      for (const from of [...peers, peers[3]!]) chooseForHighBandwidth(sync, from)
      const said = peers.map(({ peer }) =>
        peer.sent.map((message) => message.command === "sendcmpct" && `${message.announce} ${message.version}`)
      )
      assert.deepStrictEqual(said, [["true 2", "false 2"], ["true 2"], ["true 2"], ["true 2"]])
      assert.deepStrictEqual(peers.map((peer) => peer.isHighBandwidth), [false, true, true, true])
      // One that is gone goes without a word.
      sync.peers.delete(peers[1]!.peer.id)
      chooseForHighBandwidth(sync, add({}, "outbound-full-relay"))
      assert.deepStrictEqual(peers[1]!.peer.sent.length, 1)
    }))

  it.effect("is not asked where it serves none, or this node puts none together", () =>
    Effect.gen(function*() {
      const { add, sync, wishes } = yield* made()
      wishes.servesCompact = false
      const from = add()
      chooseForHighBandwidth(sync, from)
      const off = yield* made({ isOn: false })
      const other = off.add()
      chooseForHighBandwidth(off.sync, other)
      assert.deepStrictEqual([sent(from), sent(other), from.isHighBandwidth, other.isHighBandwidth], [
        [],
        [],
        false,
        false
      ])
    }))
})

describe("what a peer says about announcements of blocks", () => {
  it.effect("holds for that peer until it is gone; of compact blocks only version 2 counts", () =>
    Effect.gen(function*() {
      const { add } = yield* made()
      const preferences = blockAnnouncePreferences()
      const { gone, handlers } = preferences.part
      const [peer, other] = [add().peer, add().peer]
      const all = (of: typeof peer) => [
        preferences.prefersHeaders(of),
        preferences.prefersCompact(of),
        preferences.servesCompact(of)
      ]
      assert.deepStrictEqual(all(peer), [false, false, false])
      yield* handlers.sendcmpct!(peer, { command: "sendcmpct", announce: true, version: 1n })
      assert.deepStrictEqual(all(peer), [false, false, false])
      yield* handlers.sendcmpct!(peer, { command: "sendcmpct", announce: false, version: 2n })
      assert.deepStrictEqual(all(peer), [false, false, true])
      yield* handlers.sendcmpct!(peer, { command: "sendcmpct", announce: true, version: 2n })
      yield* handlers.sendheaders!(peer, { command: "sendheaders" })
      assert.deepStrictEqual([all(peer), all(other)], [[true, true, true], [false, false, false]])
      yield* handlers.sendheaders!(other, { command: "sendheaders" })
      assert.deepStrictEqual(all(other), [true, false, false])
      gone!(peer)
      assert.deepStrictEqual([all(peer), all(other)], [[false, false, false], [true, false, false]])
    }))
})
