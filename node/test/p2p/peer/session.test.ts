import { assert, describe, it } from "@effect/vitest"
import { encodeFrame } from "@lockstep/protocol/wire/frame.ts"
import * as Effect from "effect/Effect"
import { testCrypto } from "../../engine/test-engine.ts"
import { connectTo, settle, shakeHands, usualVersion } from "./scripted-peer.ts"
import { host } from "./session-host.ts"

const MINUTE = 60_000

describe("frames that are passed over", () => {
  it.effect("are counted, and the next one is read", () =>
    Effect.gen(function*() {
      const { host: { take }, magic, peers } = yield* host()
      const peer = connectTo({ take }, magic)
      yield* shakeHands(peer)
      const frame = encodeFrame(magic, "ping", new Uint8Array(8), testCrypto)
      const wrongSum = frame.slice()
      wrongSum[20]! ^= 1
      const wrongCommand = frame.slice()
      wrongCommand[4] = 0x80
      peer.sayBytes(wrongSum)
      peer.sayBytes(wrongCommand)
      peer.news()
      peer.sayBytes(frame)
      yield* settle
      assert.strictEqual(peers.get(0)!.traffic.receivedPerCommand.get("*other*"), 2 * 32)
      assert.deepStrictEqual(peer.news(), ["pong"])
    }))

  it.effect("may have four million bytes, whatever their command; more end the connection", () =>
    Effect.gen(function*() {
      for (const [size, ends] of [[4_000_000, false], [4_000_001, true]] as const) {
        const { host: { take }, magic } = yield* host()
        const peer = connectTo({ take }, magic)
        yield* shakeHands(peer)
        peer.sayBytes(encodeFrame(magic, "badmsg", new Uint8Array(size), testCrypto))
        yield* settle
        assert.strictEqual(peer.is.closed, ends)
      }
    }))
})

describe("a session", () => {
  it.effect("takes an answer without a number for the answer to its ping", () =>
    Effect.gen(function*() {
      const { host: { take }, magic, pass, peers } = yield* host()
      const peer = connectTo({ take }, magic)
      yield* shakeHands(peer)
      peer.sayPayload("pong", new Uint8Array(7))
      yield* settle
      assert.deepStrictEqual(peers.get(0)!.latency, { last: undefined, least: undefined, waitingSince: undefined })
      pass(19 * MINUTE)
      peer.say({ command: "ping", nonce: 1n }, { command: "pong", nonce: peer.last("ping").nonce! })
      yield* settle
      pass(2 * MINUTE)
      assert.isFalse(peer.is.closed)
    }))

  it.effect("pings every two minutes; twenty without an answer end it", () =>
    Effect.gen(function*() {
      const { host: { take }, magic, pass, peers } = yield* host()
      const peer = connectTo({ take }, magic)
      yield* shakeHands(peer)
      pass(40)
      peer.say({ command: "pong", nonce: peer.last("ping").nonce! })
      yield* settle
      assert.deepStrictEqual(peers.get(0)!.latency, { last: 40, least: 40, waitingSince: undefined })
      pass(2 * MINUTE - 100)
      assert.deepStrictEqual(peer.news(), [])
      pass(200)
      assert.deepStrictEqual(peer.news(), ["ping"])
      peer.say({ command: "pong", nonce: 12_345n })
      yield* settle
      assert.isNumber(peers.get(0)!.latency.waitingSince)
      pass(20 * MINUTE - 200)
      assert.isFalse(peer.is.closed)
      peer.say({ command: "verack" })
      pass(400)
      assert.isTrue(peer.is.closed)
    }))

  it.effect("ends with a ping timeout when a ping is not answered for 20 minutes, though messages go both ways", () =>
    Effect.gen(function*() {
      const { events, host: { take }, magic, pass } = yield* host()
      const peer = connectTo({ take }, magic)
      yield* shakeHands(peer)
      pass(100)
      assert.strictEqual(peer.last("ping").nonce !== undefined, true)
      const stay = Effect.fnUntraced(function*(milliseconds: number) {
        pass(milliseconds)
        peer.say({ command: "ping", nonce: 1n })
        yield* settle
      })
      for (let minute = 0; minute < 19; minute++) yield* stay(MINUTE)
      yield* stay(MINUTE - 300)
      assert.isFalse(peer.is.closed)
      yield* stay(400)
      assert.isTrue(peer.is.closed)
      assert.deepStrictEqual(
        events.flatMap(({ about, what }) => what === "PeerDisconnected" ? [about["reason"]] : []),
        ["ping timeout"]
      )
    }))

  it.effect("is given a minute for its handshake", () =>
    Effect.gen(function*() {
      const { host: { take }, magic, pass } = yield* host()
      const silent = connectTo({ take }, magic)
      const half = connectTo({ take }, magic)
      half.say(usualVersion)
      yield* settle
      pass(MINUTE - 100)
      assert.deepStrictEqual([silent.is.closed, half.is.closed], [false, false])
      pass(200)
      assert.deepStrictEqual([silent.is.closed, half.is.closed], [true, true])
    }))

  it.effect("has as long for its handshake as an operator says, and its silence counts no sooner", () =>
    Effect.gen(function*() {
      const HOUR = 60 * MINUTE
      const { events, host: { take }, magic, pass } = yield* host({ peerTimeout: HOUR })
      const [silent, half, whole] = [1, 2, 3].map(() => connectTo({ take }, magic))
      half!.say(usualVersion)
      whole!.say({ ...usualVersion, version: 60_000 }, { command: "verack" })
      yield* settle
      pass(HOUR - 100)
      assert.deepStrictEqual([silent, half, whole].map((peer) => peer!.is.closed), [false, false, false])
      pass(200)
      assert.deepStrictEqual([silent, half, whole].map((peer) => peer!.is.closed), [true, true, true])
      yield* settle
      assert.match(JSON.stringify(events), /(?:ping|receive|send) timeout/)
    }))

  it.effect("ends when nothing is received for twenty minutes", () =>
    Effect.gen(function*() {
      const { host: { take }, magic, pass } = yield* host()
      const peer = connectTo({ take }, magic)
      peer.say({ ...usualVersion, version: 60_000 }, { command: "verack" })
      yield* settle
      pass(20 * MINUTE)
      assert.isFalse(peer.is.closed)
      pass(200)
      assert.isTrue(peer.is.closed)
    }))

  it.effect("is what the log calls a defect in it", () =>
    Effect.gen(function*() {
      const { session } = yield* host()
      assert.strictEqual(session.name, "session")
    }))

  it.effect("is pinged at once on request", () =>
    Effect.gen(function*() {
      const { host: { take }, magic, pass, session } = yield* host()
      const peer = connectTo({ take }, magic)
      yield* shakeHands(peer)
      session.pingAll()
      pass(100)
      assert.deepStrictEqual(peer.news(), ["ping"])
      pass(100)
      assert.deepStrictEqual(peer.news(), [])
    }))
})
