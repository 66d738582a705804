import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import type { Taken } from "../../../src/p2p/peer/peer-host.ts"
import type { Connection } from "../../../src/p2p/transport/transport.ts"
import { connectTo, endpointOf, settle, shakeHands } from "./scripted-peer.ts"
import { stillChain } from "./still-chain.ts"
import { testHost } from "./test-host.ts"

const connection: Connection = {
  remote: endpointOf(8, 8, 8, 8),
  local: undefined,
  send: () => undefined,
  unsent: () => 0,
  pause: () => undefined,
  resume: () => undefined,
  close: () => undefined
}

describe("a connection that has ended", () => {
  it.effect("takes its peer's turn from it at once, though the parts learn of it later", () =>
    Effect.gen(function*() {
      const gone: Array<number> = []
      const { host, peers, totals } = yield* testHost({
        chain: stillChain(),
        parts: () => Effect.succeed([{ name: "watch", handlers: {}, gone: ({ id }) => void gone.push(id) }])
      })
      const { closed, received } = host.take(connection, { kind: "inbound" })
      const peer = peers.get(0)!
      received(new Uint8Array(3))
      closed("it went")
      assert.deepStrictEqual([peer.isGone, peers.has(0), gone], [true, true, []])
      received(new Uint8Array(5))
      yield* settle
      assert.deepStrictEqual([peers.has(0), gone], [false, [0]])
      assert.deepStrictEqual([totals.received, peer.traffic.bytesReceived], [3, 3])
    }))

  it.effect("is notified where the peer was ready, and forgotten by the host", () =>
    Effect.gen(function*() {
      const { events, host, lines, magic } = yield* testHost({ chain: stillChain() })
      const [ready, early] = [connectTo(host, magic), connectTo(host, magic)]
      yield* shakeHands(ready)
      assert.deepStrictEqual([host.fibers(), host.sendPayload(0, "x", new Uint8Array(1))], [2, true])
      assert.strictEqual(ready.commands().at(-1), "x")
      for (const peer of [ready, early]) peer.hangUp()
      yield* settle
      assert.deepStrictEqual([host.fibers(), host.sendPayload(0, "x", new Uint8Array(1))], [0, false])
      assert.deepStrictEqual(events.map(({ what }) => what), ["PeerConnected", "PeerDisconnected"])
      assert.deepStrictEqual(events.map(({ about }) => about), [
        {
          peer: "8.8.8.8:8333",
          direction: "inbound",
          services: "0000000000000009",
          version: 70_016,
          transport: "v1"
        },
        { peer: "8.8.8.8:8333", reason: "the other side closed the connection" }
      ])
      assert.lengthOf(lines.filter(({ what }) => what === "debug: a connection has ended"), 2)
    }))

  it.effect("shows that a node may know only v1, where it said nothing to the v2 transport, or v1", () =>
    Effect.gen(function*() {
      const { happenings, host, magic } = yield* testHost({ chain: stillChain() })
      const v1 = Uint8Array.of(...magic, ...Buffer.from("version\0\0\0\0\0"))
      const isUnanswered = Effect.fnUntraced(function*(said: ReadonlyArray<Uint8Array>, more: Partial<Taken> = {}) {
        let times = 0
        const unanswered = () => void times++
        const { closed, received } = host.take(connection, {
          kind: "outbound-full-relay",
          isV2: true,
          unanswered,
          ...more
        })
        for (const bytes of said) received(bytes.slice())
        closed("it went")
        yield* settle
        return times
      })
      assert.strictEqual(yield* isUnanswered([]), 1)
      assert.strictEqual(yield* isUnanswered([v1]), 1)
      assert.strictEqual(yield* isUnanswered([...v1].map((byte) => Uint8Array.of(byte))), 1)
      assert.strictEqual(yield* isUnanswered([v1.slice(0, 3), Uint8Array.of(...v1.slice(3), ...v1)]), 1)
      assert.strictEqual(yield* isUnanswered([Uint8Array.of(1)]), 0)
      assert.strictEqual(yield* isUnanswered([Uint8Array.of(1), v1]), 0)
      assert.strictEqual(yield* isUnanswered([], { isV2: false }), 0)
      const said = happenings.flatMap((each) =>
        each._tag === "RetriedWithV1" ? [coreTexts(each)[0]!.replace(/\d+$/, "")] : []
      )
      assert.deepStrictEqual(said, Array.from({ length: 4 }, () => "retrying with v1 transport protocol for peer="))
    }))

  it.effect("is every one when the node stops", () =>
    Effect.gen(function*() {
      const chain = stillChain()
      const peer = yield* Effect.scoped(Effect.map(testHost({ chain }), ({ host, magic }) => connectTo(host, magic)))
      assert.isTrue(peer.is.closed)
    }))
})
