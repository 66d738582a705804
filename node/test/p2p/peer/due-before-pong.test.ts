import { assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { type ScriptedPeer, settle } from "./scripted-peer.ts"
import { unconfirmedTransaction } from "../relay/pool-transaction.ts"
import { makeNode, peerOf, type TestNode } from "../relay/relay-node.ts"

const { WTX } = InventoryType

const PING: Message = { command: "ping", nonce: 7n }

const inv = (type: number, byte: number): Message => ({
  command: "inv",
  inventory: [{ type, hash: new Uint8Array(32).fill(byte) }]
})

/** What the node says to these messages, while no time passes. */
const answersTo = Effect.fnUntraced(function*(peer: ScriptedPeer, ...messages: ReadonlyArray<Message>) {
  peer.news()
  peer.say(...messages)
  yield* settle
  return peer.news()
})

/** A transaction of our own enters the pool, which is announced at the next chance. */
const own = (node: TestNode, number: number): void => void node.enter(unconfirmedTransaction(number))

describe("what a message makes due is sent before the next message is answered", () => {
  it.effect("a transaction that an outbound peer names is asked for before the pong", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node, { kind: "outbound-full-relay" })
      assert.deepStrictEqual(yield* answersTo(peer, inv(WTX, 7), PING), ["getdata", "pong"])
    }))

  it.effect("of a transaction that another peer is asked for the second peer is asked when the first has it not, before its pong", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [first, second] = [
        yield* peerOf(node, { kind: "outbound-full-relay" }),
        yield* peerOf(node, { kind: "outbound-full-relay" })
      ]
      const [name] = (inv(WTX, 7) as Extract<Message, { command: "inv" }>).inventory
      yield* answersTo(first, inv(WTX, 7), PING)
      assert.deepStrictEqual(yield* answersTo(second, inv(WTX, 7), PING), ["pong"])
      yield* answersTo(first, { command: "notfound", inventory: [name!] }, PING)
      assert.deepStrictEqual(second.news(), ["getdata"])
    }))

  it.effect("a transaction is announced to a trusted peer between two pongs", () =>
    Effect.gen(function*() {
      const node = yield* makeNode({ isTrusted: true })
      const peer = yield* peerOf(node)
      own(node, 1)
      assert.deepStrictEqual(yield* answersTo(peer, PING, PING), ["pong", "inv", "pong"])
    }))

  it.effect("a message with an unknown command does as well as any other", () =>
    Effect.gen(function*() {
      const node = yield* makeNode({ isTrusted: true })
      const peer = yield* peerOf(node)
      own(node, 1)
      peer.sayPayload("whatever", new Uint8Array(3))
      yield* settle
      assert.deepStrictEqual(peer.news(), ["inv"])
    }))

  it.effect("a ping that an operator asked for goes out", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const peer = yield* peerOf(node)
      node.session.pingAll()
      assert.deepStrictEqual(yield* answersTo(peer, PING, PING), ["pong", "ping", "pong"])
    }))

  it.effect("messages do not bring forward the moment at which transactions are announced to all inbound peers", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [asks, waits] = [yield* peerOf(node), yield* peerOf(node)]
      node.pass(30_000)
      for (let i = 0; i < 8; i++) {
        waits.news()
        own(node, i)
        while (!(yield* answersTo(asks, PING)).includes("inv")) node.clock.now += 50
        const before = waits.news()
        const said = [...before, ...yield* answersTo(waits, PING)].filter((command) => command !== "pong")
        assert.deepStrictEqual(said, ["inv"], "the moment is the same for all")
        own(node, 100 + i)
        assert.deepStrictEqual(yield* answersTo(asks, PING, PING), ["pong", "pong"], "the next moment is another one")
        node.pass(30_000)
      }
    }))

  it.effect("where the clock was moved, a message of one peer is enough for what became due to another", () =>
    Effect.gen(function*() {
      const node = yield* makeNode()
      const [pings, waits] = [yield* peerOf(node), yield* peerOf(node)]
      own(node, 1)
      yield* answersTo(pings, PING)
      waits.news()
      node.clock.now += 90_000
      assert.deepStrictEqual(waits.news(), [])
      assert.include(yield* answersTo(pings, PING), "pong")
      assert.deepStrictEqual(waits.news(), ["inv"])
    }))
})
