import { assert, describe, it } from "@effect/vitest"
import { packageHash } from "@lockstep/kernel/relay"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import type { PackageOutcome } from "../../../src/p2p/chain/p2p-chain.ts"
import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { displayHash } from "../../../src/hex.ts"
import { connectTo, type ScriptedPeer, settle, usualVersion } from "../peer/scripted-peer.ts"
import { type Judgement, outcomeOf } from "../peer/still-mempool.ts"
import { pooled, unconfirmedTransaction } from "../relay/pool-transaction.ts"
import { askedOf, hex, makeNode, type TestNode } from "../relay/relay-node.ts"
import { testCrypto } from "../../engine/test-engine.ts"

const SECOND = 1_000
const { ANCESTOR_PACKAGE, PACKAGE_TRANSACTIONS, WITNESS_TX } = InventoryType

const first = unconfirmedTransaction(1)
const second = unconfirmedTransaction(2, pooled(first).txid)
const orphan = unconfirmedTransaction(3, pooled(second).txid)
const chain = [first, second, orphan]
const wtxids = chain.map((bytes) => pooled(bytes).wtxid)
const hashOf = (all: ReadonlyArray<Uint8Array>): Uint8Array =>
  packageHash(all.map((bytes) => pooled(bytes).wtxid), testCrypto)

const TOO_LITTLE: Judgement = { _tag: "Refused", reason: "min relay fee not met", what: "reconsiderable" }

const packed = (all: ReadonlyArray<Uint8Array>): Uint8Array => concatBytes([encodeCompactSize(all.length), ...all])

/** A node to which single transactions are orphans, and packages are as the test says. */
const started = (says: (all: ReadonlyArray<Uint8Array>) => Judgement = () => ({ _tag: "Accepted" })) =>
  Effect.gen(function*() {
    const node = yield* makeNode({ relaysPackages: true })
    node.chain.judge((bytes) => ({ _tag: "MissingInputs", parents: [bytes.slice(7, 39)] }))
    node.chain.judgePackage((all): PackageOutcome => {
      const judgement = says(all)
      if (judgement._tag === "Accepted") { for (const bytes of all) node.enter(bytes) }
      const isAccepted = judgement._tag === "Accepted"
      return {
        failure: isAccepted ? undefined : { reason: "transaction failed", debug: undefined, isPolicy: false },
        outcomes: all.map((bytes) => outcomeOf(bytes, judgement))
      }
    })
    return node
  })

/** A peer that relays packages, unless it says otherwise. */
const peerOf = Effect.fnUntraced(function*(node: TestNode, versions = 3n, wtxid = true) {
  const peer = connectTo(node.host, node.magic, "inbound")
  if (wtxid) peer.say(usualVersion, { command: "wtxidrelay" })
  else peer.say(usualVersion)
  peer.say({ command: "sendpackages", versions }, { command: "verack" })
  yield* settle
  node.pass(100)
  peer.news()
  return peer
})

const say = (peer: ScriptedPeer, ...messages: ReadonlyArray<Message>) =>
  Effect.andThen(Effect.sync(() => peer.say(...messages)), settle)

const payload = (peer: ScriptedPeer, command: string, bytes: Uint8Array) =>
  Effect.andThen(Effect.sync(() => peer.sayPayload(command, bytes)), settle)

const eventsOf = (node: TestNode): ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> =>
  node.events.filter(({ what }) => what.startsWith("Package"))
    .map(({ about, what }) => [what, { ...about, peer: undefined }])

/** Why peers were disconnected. */
const endsOf = (node: TestNode) =>
  node.events.flatMap(({ about: { reason }, what }) => what === "PeerDisconnected" ? [reason] : [])

describe("package relay", () => {
  it.effect("resolves an orphan: the ids of its ancestors are requested, then those that are not here, together", () =>
    Effect.gen(function*() {
      const node = yield* started()
      const peer = yield* peerOf(node)
      yield* payload(peer, "tx", orphan)
      assert.deepStrictEqual(askedOf(peer), [`${ANCESTOR_PACKAGE}:${hex(wtxids[2]!)}`])
      yield* say(peer, { command: "ancpkginfo", wtxids })
      assert.deepStrictEqual(peer.last("getpkgtxns").wtxids.map(hex), wtxids.slice(0, 2).map(hex))
      yield* payload(peer, "pkgtxns", packed([first, second]))
      assert.deepStrictEqual(node.chain.judgedPackages, [chain])
      assert.deepStrictEqual(node.relay.sizes(), { announcements: 0, orphans: 0 })
      const package_id = displayHash(hashOf(chain))
      assert.deepStrictEqual(eventsOf(node), [["PackageReceived", { package_id, transactions: 3, peer: undefined }]])
      node.pass(10 * SECOND)
      assert.lengthOf(askedOf(peer), 1, "no parent is requested by its txid")
    }))

  it.effect("sorts what comes in any order, and leaves out what is no ancestor", () =>
    Effect.gen(function*() {
      const node = yield* started()
      const peer = yield* peerOf(node)
      const other = unconfirmedTransaction(9)
      yield* payload(peer, "tx", orphan)
      const mixed = [second, other, first]
      yield* say(peer, { command: "ancpkginfo", wtxids: [...mixed.map((each) => pooled(each).wtxid), wtxids[2]!] })
      yield* payload(peer, "pkgtxns", packed(mixed))
      assert.deepStrictEqual(node.chain.judgedPackages, [chain])
    }))

  it.effect("needs no transactions of the peer where all ancestors are orphans here", () =>
    Effect.gen(function*() {
      const node = yield* started()
      const peer = yield* peerOf(node)
      for (const bytes of [orphan, second, first]) yield* payload(peer, "tx", bytes)
      yield* say(peer, { command: "ancpkginfo", wtxids })
      assert.deepStrictEqual(node.chain.judgedPackages, [chain])
      assert.strictEqual(node.relay.sizes().orphans, 0)
    }))

  it.effect("rejects a package once, and says why", () =>
    Effect.gen(function*() {
      const node = yield* started(() => TOO_LITTLE)
      const package_id = displayHash(hashOf(chain))
      for (const times of [1, 2]) {
        const peer = yield* peerOf(node)
        yield* payload(peer, "tx", orphan)
        yield* say(peer, { command: "ancpkginfo", wtxids })
        yield* payload(peer, "pkgtxns", packed([first, second]))
        assert.lengthOf(node.chain.judgedPackages, 1, `${times} times`)
        assert.strictEqual(node.relay.sizes().orphans, 0)
      }
      assert.deepStrictEqual(eventsOf(node), [
        ["PackageReceived", { package_id, transactions: 3, peer: undefined }],
        ["PackageRejected", { package_id, reason: "min relay fee not met", peer: undefined }]
      ])
    }))

  it.effect("turns to another peer when one does not have the ancestors, and requests parents by txid at last", () =>
    Effect.gen(function*() {
      const node = yield* started()
      const [peer, other] = [yield* peerOf(node), yield* peerOf(node)]
      yield* payload(peer, "tx", orphan)
      yield* say(other, { command: "inv", inventory: [{ type: InventoryType.WTX, hash: wtxids[2]! }] })
      assert.deepStrictEqual(askedOf(other), [])
      yield* say(peer, { command: "notfound", inventory: [{ type: ANCESTOR_PACKAGE, hash: wtxids[2]! }] })
      assert.deepStrictEqual(askedOf(other), [`${ANCESTOR_PACKAGE}:${hex(wtxids[2]!)}`])
      yield* say(other, { command: "ancpkginfo", wtxids })
      const hash = hashOf([first, second])
      yield* say(other, { command: "notfound", inventory: [{ type: PACKAGE_TRANSACTIONS, hash }] })
      node.pass(10 * SECOND)
      const parent = `${WITNESS_TX}:${hex(pooled(second).txid)}`
      assert.lengthOf([...askedOf(peer), ...askedOf(other)].filter((each) => each === parent), 1)
    }))

  it.effect("waits a minute for an answer, and takes a late one", () =>
    Effect.gen(function*() {
      const node = yield* started()
      const peer = yield* peerOf(node)
      yield* payload(peer, "tx", orphan)
      yield* say(peer, { command: "ancpkginfo", wtxids })
      node.pass(59 * SECOND)
      assert.lengthOf(askedOf(peer), 1)
      node.pass(10 * SECOND)
      assert.include(askedOf(peer), `${WITNESS_TX}:${hex(pooled(second).txid)}`)
      yield* payload(peer, "pkgtxns", packed([first, second]))
      assert.deepStrictEqual(node.chain.judgedPackages, [chain])
      assert.deepStrictEqual(endsOf(node), [])
    }))

  it.effect("turns to another announcer when a peer disconnects", () =>
    Effect.gen(function*() {
      const node = yield* started()
      const [peer, other] = [yield* peerOf(node), yield* peerOf(node)]
      yield* payload(peer, "tx", orphan)
      yield* say(other, { command: "inv", inventory: [{ type: InventoryType.WTX, hash: wtxids[2]! }] })
      assert.deepStrictEqual(askedOf(other), [])
      peer.hangUp()
      yield* settle
      assert.deepStrictEqual(askedOf(other), [`${ANCESTOR_PACKAGE}:${hex(wtxids[2]!)}`])
    }))

  it.effect("requests ten packages of a peer at a time, and parents by txid beyond that", () =>
    Effect.gen(function*() {
      const node = yield* started()
      const peer = yield* peerOf(node)
      for (let i = 0; i < 12; i++) {
        yield* payload(peer, "tx", unconfirmedTransaction(100 + i, new Uint8Array(32).fill(i + 1)))
      }
      node.pass(10 * SECOND)
      const asked = askedOf(peer)
      assert.lengthOf(
        asked.filter((each) => each.startsWith(`${ANCESTOR_PACKAGE}:`)),
        10
      )
      assert.lengthOf(asked.filter((each) => each.startsWith(`${WITNESS_TX}:`)), 2)
    }))

  it.effect.each<readonly [string, (peer: ScriptedPeer) => Effect.Effect<void>]>([
    ["ancpkginfo that was not requested", (peer: ScriptedPeer) => say(peer, { command: "ancpkginfo", wtxids })],
    [
      "ancpkginfo that names a transaction twice",
      (peer: ScriptedPeer) =>
        Effect.andThen(
          payload(peer, "tx", orphan),
          say(peer, { command: "ancpkginfo", wtxids: [wtxids[0]!, wtxids[0]!, wtxids[2]!] })
        )
    ],
    ["pkgtxns that was not requested", (peer: ScriptedPeer) => payload(peer, "pkgtxns", packed([first]))],
    [
      "pkgtxns that was not requested",
      (peer: ScriptedPeer) =>
        Effect.gen(function*() {
          yield* payload(peer, "tx", orphan)
          yield* say(peer, { command: "ancpkginfo", wtxids })
          yield* payload(peer, "pkgtxns", packed([second, first]))
        })
    ],
    [
      "inv that names a package",
      (peer: ScriptedPeer) => say(peer, { command: "inv", inventory: [{ type: ANCESTOR_PACKAGE, hash: wtxids[0]! }] })
    ],
    ["sendpackages received after verack", (peer: ScriptedPeer) => say(peer, { command: "sendpackages", versions: 3n })]
  ])("disconnects a peer: %s", ([reason, does]) =>
    Effect.gen(function*() {
      const node = yield* started()
      const peer = yield* peerOf(node)
      yield* does(peer)
      assert.deepStrictEqual(endsOf(node), [reason])
      assert.deepStrictEqual(node.chain.judgedPackages, [])
    }))

  it.effect("is off for a peer that does not offer all of it, or announces by txid", () =>
    Effect.gen(function*() {
      const node = yield* started()
      for (const peer of [yield* peerOf(node, 1n), yield* peerOf(node, 2n), yield* peerOf(node, 3n, false)]) {
        yield* payload(peer, "tx", unconfirmedTransaction(50, new Uint8Array(32).fill(5)))
        node.pass(10 * SECOND)
        assert.isFalse(askedOf(peer).some((each) => each.startsWith(`${ANCESTOR_PACKAGE}:`)))
      }
    }))

  it.effect("that is off says nothing, and ignores what is said about packages", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      assert.isFalse(peer.received.some(({ command }) => command === "sendpackages"))
      yield* say(peer, { command: "sendpackages", versions: 3n }, { command: "ancpkginfo", wtxids })
      yield* payload(peer, "pkgtxns", packed([first]))
      assert.deepStrictEqual(endsOf(node), [])
    }))
})
