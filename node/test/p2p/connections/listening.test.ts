import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { tcpTransport } from "../../../src/p2p/transport/tcp/tcp-transport.ts"
import type { ConnectionPlace } from "../../../src/net/peer-permissions.ts"
import { connectedThrough } from "../../../src/p2p/peer/peer.ts"
import { recorder } from "../transport/recorder.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { testLayer } from "./test-layer.ts"

/** A port of this machine that a program listens at. */
const takenPort = Effect.map(tcpTransport.listen(endpoint("127.0.0.1:0"), recorder().accept), ({ port }) => port)

/** A port that no program listens at now. */
const freePort = Effect.scoped(takenPort)

const isReached = (text: string) =>
  Effect.map(Effect.exit(tcpTransport.dial(endpoint(text), recorder().accept)), ({ _tag }) => _tag === "Success")

describe("where others may connect", () => {
  it.live("at several places, over IPv4 and IPv6", () =>
    Effect.gen(function*() {
      const [port, other] = [yield* freePort, yield* freePort]
      const layer = yield* testLayer({
        options: {
          transport: tcpTransport,
          listen: endpoint(`0.0.0.0:${port}`),
          alsoListen: [endpoint(`[::]:${port}`), endpoint(`127.0.0.1:${other}`)]
        }
      })
      for (const place of [`127.0.0.1:${port}`, `[::1]:${port}`, `127.0.0.1:${other}`]) {
        assert.isTrue(yield* isReached(place), place)
      }
      assert.strictEqual(endpointText(layer.service.listening[0]!), `0.0.0.0:${port}`)
    }))

  it.live("on IPv6 as well if that can be had, without which the node goes on", () =>
    Effect.gen(function*() {
      const [port, taken] = [yield* freePort, yield* takenPort]
      const layer = yield* testLayer({
        options: {
          transport: tcpTransport,
          listen: endpoint(`0.0.0.0:${port}`),
          mayListen: [endpoint(`127.0.0.1:${taken}`), endpoint(`[::]:${port}`)],
          mustListen: true
        }
      })
      assert.deepStrictEqual(layer.service.listening.map(endpointText), [`0.0.0.0:${port}`, `[::]:${port}`])
      for (const place of [`127.0.0.1:${port}`, `[::1]:${port}`]) assert.isTrue(yield* isReached(place), place)
    }))

  it.live("where an onion service leads: peers there are in Tor's network, and no address of theirs counts", () =>
    Effect.gen(function*() {
      const asked: Array<ConnectionPlace> = []
      const layer = yield* testLayer({
        options: {
          transport: tcpTransport,
          listen: undefined,
          onionListen: [endpoint("127.0.0.1:0")],
          trusts: () => true,
          permits: (place) => {
            asked.push(place)
            return new Set()
          }
        }
      })
      const { onionListening: [bound], listening, peers } = layer.service
      assert.deepStrictEqual(listening, [], "it is not advertised")
      yield* tcpTransport.dial(bound!, recorder().accept)
      yield* Effect.promise(async () => {
        while (peers.size === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      })
      const [peer] = peers.values()
      assert.strictEqual(connectedThrough(peer!), "onion")
      assert.isFalse(peer!.isTrusted)
      assert.isTrue(asked.every(({ network }) => network === "onion"))
    }))

  it.live("an address that the operator chose must be free: else the start fails and says what to do", () =>
    Effect.gen(function*() {
      const [port, free] = [yield* takenPort, yield* freePort]
      const options = {
        transport: tcpTransport,
        listen: endpoint(`127.0.0.1:${free}`),
        alsoListen: [endpoint(`127.0.0.1:${port}`)]
      }
      const error = yield* Effect.flip(testLayer({ options }))
      assert.include(
        String((error as Error).message),
        `cannot listen for other nodes on 127.0.0.1:${port}: another program listens there`
      )
      assert.include(String((error as Error).message), "--listen-addr")
    }))

  it.live("without the default address the node says so, and takes no connections", () =>
    Effect.gen(function*() {
      const port = yield* takenPort
      const layer = yield* testLayer({
        options: { transport: tcpTransport, listen: endpoint(`127.0.0.1:${port}`), mustListen: false }
      })
      assert.deepStrictEqual(layer.service.listening, [])
      assert.isTrue(
        layer.lines.some(({ what }) => what.startsWith("warn: no inbound connections are accepted: cannot listen"))
      )
    }))
})
