import { assert, describe, it } from "@effect/vitest"
import { txRequestScheduler } from "../../../src/p2p/relay/tx-request-scheduler.ts"
import { txRequestTracker } from "../../../src/p2p/relay/tx-request-tracker.ts"
import type { PeerRelay } from "../../../src/p2p/relay/peer-relay.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { type ScriptedPeer, scriptedPeer } from "../sync/chain-model.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const WITNESS_TX = 0x40000001
const WTX = 5
const TX = 1

const name = (value: number, isWtxid = true) => {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(0, value)
  return { hash, isWtxid }
}

const world = (...peers: ReadonlyArray<ScriptedPeer>) => {
  const relays = new Map(peers.map((peer) => [peer.id, { peer } as unknown as PeerRelay]))
  const settled = new Set<number>()
  const requests = txRequestTracker(seededRandom(4))
  const ask = txRequestScheduler({
    peers: relays,
    requests,
    alreadyHaveTx: ({ hash }) => settled.has(new DataView(hash.buffer).getUint32(0)),
    isUnwanted: ({ hash }) => settled.has(Math.abs(new DataView(hash.buffer).getUint32(0)))
  })
  return { ask, relays, requests, settled, of: (peer: ScriptedPeer) => relays.get(peer.id)! }
}

/** Inventory of each getdata that a peer was sent. */
const getdata = ({ sent }: ScriptedPeer) =>
  sent.flatMap((message) => message.command === "getdata" ? [message.inventory] : [])

describe("requests for transactions", () => {
  it("of 1,001 that are due from one peer go out as two getdata, of 1,000 and of 1", () => {
    const peer = scriptedPeer(1, "outbound-full-relay")
    const { ask, of } = world(peer)
    for (let i = 0; i < 1_001; i++) ask.want(of(peer), name(i), unixMilliseconds(0))
    ask.askAll(unixMilliseconds(0))
    assert.deepStrictEqual(getdata(peer).map((inventory) => inventory.length), [1_000, 1])
    const asked = getdata(peer).flat()
    assert.deepStrictEqual(asked.map(({ hash }) => hash), Array.from({ length: 1_001 }, (_, i) => name(i).hash))
    ask.askAll(unixMilliseconds(0))
    assert.strictEqual(getdata(peer).length, 2, "each is asked for once")
  })

  it("of 1,000 go out as one getdata, and of none as none", () => {
    const peer = scriptedPeer(1, "outbound-full-relay")
    const { ask, of } = world(peer)
    ask.askAll(unixMilliseconds(0))
    assert.deepStrictEqual(getdata(peer), [])
    for (let i = 0; i < 1_000; i++) ask.want(of(peer), name(i), unixMilliseconds(0))
    ask.askAll(unixMilliseconds(0))
    assert.deepStrictEqual(getdata(peer).map((inventory) => inventory.length), [1_000])
  })

  it("name a transaction by the kind of id that was announced", () => {
    const peer = scriptedPeer(1, "outbound-full-relay")
    const { ask, of } = world(peer)
    ask.want(of(peer), name(1, true), unixMilliseconds(0))
    ask.want(of(peer), name(2, false), unixMilliseconds(0))
    ask.askAll(unixMilliseconds(2_000))
    assert.deepStrictEqual(getdata(peer).flat().map(({ type }) => type), [WTX, WITNESS_TX])
  })

  it("name a transaction without its witness where the peer has no witnesses", () => {
    const peer = scriptedPeer(1, "inbound", 0x1n)
    const { ask, of } = world(peer)
    ask.want(of(peer), name(1, false), unixMilliseconds(0))
    ask.askAll(unixMilliseconds(4_000))
    assert.deepStrictEqual(getdata(peer).flat().map(({ type }) => type), [TX])
  })

  it("wait 2 s for inbound peers and 2 s more for a txid while some peer announces by wtxid", () => {
    const inbound = scriptedPeer(1, "inbound")
    const { ask, of } = world(inbound)
    ask.want(of(inbound), name(1, true), unixMilliseconds(0))
    ask.want(of(inbound), name(2, false), unixMilliseconds(0))
    const askedAt = (now: number): number => {
      ask.askAll(unixMilliseconds(now))
      return getdata(inbound).flat().length
    }
    assert.deepStrictEqual([1_999, 2_000, 3_999, 4_000].map(askedAt), [0, 1, 1, 2])
  })

  it("wait for nothing where the operator trusts an inbound peer, and a txid is all that peers know", () => {
    const trusted = Object.assign(scriptedPeer(1, "inbound"), { isTrusted: true })
    Object.assign(trusted.hello!, { wtxidRelay: false })
    const { ask, of } = world(trusted)
    ask.want(of(trusted), name(1, false), unixMilliseconds(0))
    ask.askAll(unixMilliseconds(0))
    assert.strictEqual(getdata(trusted).flat().length, 1)
  })

  it("are not made for what is settled, whether it is when it is announced or when it is due", () => {
    const peer = scriptedPeer(1, "outbound-full-relay")
    const { ask, of, requests, settled } = world(peer)
    settled.add(1)
    ask.want(of(peer), name(1), unixMilliseconds(0))
    ask.want(of(peer), name(2), unixMilliseconds(0))
    settled.add(2)
    ask.askAll(unixMilliseconds(0))
    assert.deepStrictEqual(getdata(peer), [])
    assert.strictEqual(requests.size(), 0, "nothing of them is remembered")
  })

  it("go to no peer when the announcer is gone", () => {
    const peer = scriptedPeer(1, "outbound-full-relay")
    const { ask, of, relays } = world(peer)
    ask.want(of(peer), name(1), unixMilliseconds(0))
    relays.clear()
    ask.askAll(unixMilliseconds(0))
    assert.deepStrictEqual(getdata(peer), [])
  })

  it("are first made of outbound peers that serve blocks, and were not called for addresses", () => {
    const waits = (peer: ScriptedPeer): boolean => {
      const { ask, of } = world(peer)
      ask.want(of(peer), name(1), unixMilliseconds(0))
      ask.askAll(unixMilliseconds(1_999))
      return getdata(peer).length === 0
    }
    const trusted = Object.assign(scriptedPeer(1, "inbound"), { isTrusted: true })
    const peers = [
      scriptedPeer(1, "outbound-full-relay", 0x1n),
      scriptedPeer(1, "manual", 0x400n),
      trusted,
      scriptedPeer(1, "outbound-full-relay", 0x8n),
      scriptedPeer(1, "addr-fetch"),
      scriptedPeer(1, "inbound")
    ]
    assert.deepStrictEqual(peers.map(waits), [false, false, false, true, true, true])
  })

  it("of parents are made where a peer has 5,000 announcements with them, or as many as it likes", () => {
    const parents = [1, 2].map((value) => name(1_000_000 + value).hash)
    const wants = (announced: number, more: Partial<ScriptedPeer> = {}): boolean => {
      const peer = Object.assign(scriptedPeer(1, "inbound"), more)
      const { ask, of, requests } = world(peer)
      for (let i = 0; i < announced; i++) ask.want(of(peer), name(i), unixMilliseconds(0))
      const isDone = ask.wantParents(of(peer), parents, unixMilliseconds(0))
      assert.strictEqual(requests.count(1), announced + (isDone ? 2 : 0))
      return isDone
    }
    assert.deepStrictEqual([4_998, 4_999].map((announced) => wants(announced)), [true, false])
    assert.isTrue(wants(5_001, { permissions: new Set(["relay"]) }))
    assert.isTrue(wants(5_001, { isTrusted: true }))
    assert.isFalse(wants(4_999, { isTrusted: true, permissions: new Set(["noban"]) }))
  })

  it("of parents go by txid, later than those by wtxid", () => {
    const peer = scriptedPeer(1, "outbound-full-relay")
    const { ask, of } = world(peer)
    ask.wantParents(of(peer), [name(1).hash], unixMilliseconds(0))
    ask.askAll(unixMilliseconds(1_999))
    assert.deepStrictEqual(getdata(peer), [])
    ask.askAll(unixMilliseconds(2_000))
    assert.deepStrictEqual(getdata(peer).flat().map(({ type }) => type), [WITNESS_TX])
  })
})
