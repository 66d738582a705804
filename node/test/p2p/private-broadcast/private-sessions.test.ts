import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { privateText } from "../../../src/runtime/private-happening.ts"
import { displayHash } from "../../../src/hex.ts"
import { parseEndpoint } from "../../../src/net/endpoint-text.ts"
import { privateQueue, type PrivateTransaction } from "../../../src/p2p/private-broadcast/private-queue.ts"
import { privateSessions } from "../../../src/p2p/private-broadcast/private-sessions.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { usualVersion } from "../peer/scripted-peer.ts"
import { chainModel, scriptedPeer } from "../sync/chain-model.ts"

const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"
const START = 1_700_000_000_000
const SECOND = 1_000

const transaction = (id: number, witness = 100): PrivateTransaction => ({
  transaction: { bytes: Uint8Array.of(id) } as Transaction,
  txid: new Uint8Array(32).fill(id),
  wtxid: new Uint8Array(32).fill(id + witness)
})

const pong = (nonce: bigint): Uint8Array => new Uint8Array(new BigUint64Array([nonce]).buffer)

/** A private connection to a peer that is played by the test. */
const place = (
  { at = ONION, peerTimeout, queued = [transaction(1)] }: {
    readonly at?: string
    readonly peerTimeout?: number
    readonly queued?: ReadonlyArray<PrivateTransaction>
  } = {}
) => {
  const model = chainModel(START / SECOND)
  const queue = privateQueue()
  for (const each of queued) queue.add(each, unixMilliseconds(START))
  const said: Array<string> = []
  const counts = { tor: 0, another: 0 }
  const talk = privateSessions({
    context: model.context,
    queue,
    peerTimeout,
    say: (what) => void said.push(privateText(what)),
    reachedThroughTor: () => void counts.tor++,
    needsAnother: () => void counts.another++
  })
  const peer = Object.assign(scriptedPeer(3, "private-broadcast", 9n, START), {
    endpoint: parseEndpoint(at, 8_333)!,
    hello: undefined,
    isReady: false
  })
  talk.connected(peer)
  const hear = (message: MessageOf<"version" | "verack" | "getdata">): void => {
    const handler = talk.handlers[message.command] as (from: unknown, of: unknown) => Effect.Effect<void>
    Effect.runSync(handler(peer, message))
  }
  const heardPong = (payload: Uint8Array): void => Effect.runSync(Result.getOrThrow(talk.raw!.pong!(peer, payload)))
  const commands = () => peer.sent.map(({ command }) => command)
  return { commands, counts, hear, heardPong, peer, queue, said, talk }
}

const asks = (...hashes: ReadonlyArray<Uint8Array>): MessageOf<"getdata"> => ({
  command: "getdata",
  inventory: hashes.map((hash) => ({ type: InventoryType.TX, hash }))
})

const ids = ({ txid, wtxid }: PrivateTransaction): string => `txid=${displayHash(txid)}, wtxid=${displayHash(wtxid)}`

describe("a private session", () => {
  it("sends one transaction, and ends with the answer to the ping behind it", () => {
    const { commands, counts, hear, heardPong, peer, queue, said, talk } = place()
    assert.deepStrictEqual(commands(), ["version"])
    hear(usualVersion)
    assert.deepStrictEqual(commands(), ["version", "verack"])
    hear({ command: "verack" })
    assert.deepStrictEqual(peer.sent[2], {
      command: "inv",
      inventory: asks(transaction(1).txid).inventory
    })
    hear(asks(transaction(1).txid))
    assert.deepStrictEqual(commands(), ["version", "verack", "inv", "tx", "ping"])
    heardPong(pong(1n))
    assert.isUndefined(peer.gone)
    const ping = peer.sent.at(-1)!
    heardPong(pong(ping.command === "ping" ? ping.nonce! : 0n))
    const why = "got a PONG (the transaction will probably reach the network)"
    assert.deepStrictEqual(peer.gone, { reason: why, discouraged: false })
    assert.deepStrictEqual(said, [
      `P2P handshake completed, sending INV for ${ids(transaction(1))}, peer=3`,
      `Disconnecting: ${why}, peer=3`
    ])
    assert.isDefined(queue.all()[0]!.sends[0]!.confirmedAt)
    talk.gone!(peer)
    assert.deepStrictEqual(counts, { tor: 1, another: 0 })
  })

  it("pings behind each copy that is asked for, and knows how long the last answer took", () => {
    const { commands, hear, heardPong, peer } = place()
    hear(usualVersion)
    hear({ command: "verack" })
    hear(asks(transaction(1).txid))
    hear(asks(transaction(1).txid))
    assert.deepStrictEqual(commands().slice(3), ["tx", "ping", "tx", "ping"])
    const [first, last] = peer.sent.flatMap((message) => message.command === "ping" ? [message.nonce!] : [])
    heardPong(pong(first!))
    assert.isUndefined(peer.gone)
    heardPong(pong(last!))
    assert.deepStrictEqual([peer.isGone, peer.latency.last, peer.latency.waitingSince], [true, 0, undefined])
  })

  it("names a transaction without witnesses once", () => {
    const { hear, said } = place({ queued: [transaction(1, 0)] })
    hear(usualVersion)
    hear({ command: "verack" })
    const txid = displayHash(transaction(1).txid)
    assert.deepStrictEqual(said, [`P2P handshake completed, sending INV for txid=${txid}, peer=3`])
  })

  it("proves the proxy to be one of Tor where it reached an onion service", () => {
    for (const [at, times] of [[ONION, 1], ["8.8.8.8:8333", 0], ["[2a00::1]:8333", 0]] as const) {
      const { counts, hear } = place({ at })
      hear(usualVersion)
      assert.strictEqual(counts.tor, 0)
      hear({ command: "verack" })
      hear({ command: "verack" })
      assert.strictEqual(counts.tor, times, at)
    }
  })

  it("is of no use with a peer that offers too little, is too old, or takes no transactions", () => {
    const ended = (more: Partial<MessageOf<"version">>) => {
      const { commands, hear, peer, said } = place()
      hear({ ...usualVersion, ...more })
      assert.deepStrictEqual(said, peer.gone === undefined ? [] : [`Disconnecting: ${peer.gone.reason}, peer=3`])
      assert.deepStrictEqual(commands(), peer.gone === undefined ? ["version", "verack"] : ["version"])
      return peer.gone?.reason
    }
    assert.isUndefined(ended({ version: 31_800 }))
    assert.strictEqual(
      ended({ services: ServiceFlag.NETWORK }),
      "peer does not offer the expected services (00000001 offered, 00000009 expected)"
    )
    assert.strictEqual(ended({ version: 31_799 }), "peer using obsolete version 31799")
    assert.strictEqual(ended({ relay: 0 }), "does not support transaction relay (connected in vain)")
  })

  it("hears one version and one verack", () => {
    const { commands, hear, peer, queue } = place({ queued: [transaction(1), transaction(2)] })
    hear(usualVersion)
    hear({ ...usualVersion, version: 31_799 })
    assert.isUndefined(peer.gone)
    hear({ command: "verack" })
    hear({ command: "verack" })
    assert.deepStrictEqual(commands(), ["version", "verack", "inv"])
    assert.deepStrictEqual(queue.all().map(({ sends }) => sends.length), [1, 0])
  })

  it("ends where nothing is left to send, or something else is asked for", () => {
    const empty = place({ queued: [] })
    empty.hear(usualVersion)
    empty.hear({ command: "verack" })
    assert.match(empty.peer.gone!.reason, /^no more transactions/)
    assert.lengthOf(empty.said, 1)
    const early = place()
    early.hear(usualVersion)
    early.hear(asks(transaction(1).txid))
    assert.strictEqual(early.peer.gone?.reason, "got GETDATA without sending an INV")
    const other = place()
    other.hear(usualVersion)
    other.hear({ command: "verack" })
    other.hear(asks(transaction(1).wtxid))
    assert.strictEqual(other.peer.gone?.reason, "got an unexpected GETDATA message")
  })
})

describe("the time of a private session", () => {
  const endsAt = (milliseconds: number, more: { readonly isReady?: boolean; readonly peerTimeout?: number } = {}) => {
    const { isReady = false, peerTimeout } = more
    const { peer, talk } = place(peerTimeout === undefined ? {} : { peerTimeout })
    peer.isReady = isReady
    talk.tickAll!(unixMilliseconds(START + milliseconds))
    return peer.gone?.reason
  }

  it("is a minute for the handshake, or what an operator says, and three minutes in all", () => {
    assert.isUndefined(endsAt(60 * SECOND - 1))
    assert.strictEqual(endsAt(60 * SECOND), "version handshake timeout")
    assert.strictEqual(endsAt(5 * SECOND, { peerTimeout: 5 * SECOND }), "version handshake timeout")
    assert.isUndefined(endsAt(5 * SECOND - 1, { peerTimeout: 5 * SECOND }))
    assert.isUndefined(endsAt(180 * SECOND, { isReady: true }))
    assert.strictEqual(
      endsAt(180 * SECOND + 1, { isReady: true }),
      "did not complete the transaction send within 180 seconds"
    )
  })

  it("is over once: a peer that is on its way out is not ended again, and one that went is forgotten", () => {
    const { commands, peer, said, talk } = place()
    talk.tickAll!(unixMilliseconds(START + 61 * SECOND))
    talk.tickAll!(unixMilliseconds(START + 62 * SECOND))
    assert.lengthOf(said, 1)
    talk.gone!(peer)
    peer.isGone = false
    talk.tickAll!(unixMilliseconds(START + 63 * SECOND))
    assert.deepStrictEqual([said.length, commands()], [1, ["version"]])
  })

  it("that ends without a pong makes another connection needed, while something is queued", () => {
    const unconfirmed = place()
    unconfirmed.hear(usualVersion)
    unconfirmed.hear({ command: "verack" })
    unconfirmed.talk.gone!(unconfirmed.peer)
    assert.strictEqual(unconfirmed.counts.another, 1)
    const empty = place({ queued: [] })
    empty.talk.gone!(empty.peer)
    assert.strictEqual(empty.counts.another, 0)
  })

  it("holds private connections alone", () => {
    const { talk } = place()
    assert.deepStrictEqual([talk.name, talk.onlyKind], ["private broadcast", "private-broadcast"])
  })
})
