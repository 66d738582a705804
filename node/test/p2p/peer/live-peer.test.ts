import { assert, describe, it } from "vitest"
import type { TransportOutput } from "@lockstep/protocol/wire/peer-transport.ts"
import { addToCounter, LivePeer } from "../../../src/p2p/peer/live-peer.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { type Ticking, tickOnce } from "../../../src/p2p/peer/ticks.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import type { PeerBuffers } from "../../../src/p2p/peer/peer-buffers.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { scriptedPeer } from "../sync/chain-model.ts"

const MEGABYTE = 1_000_000

const place = (
  kind: PeerKind = "inbound",
  permissions: ReadonlyArray<string> = [],
  trusted = false,
  buffers?: PeerBuffers
) => {
  const observed: Array<ReadonlyArray<unknown>> = []
  const observe = (what: string) => (...about: ReadonlyArray<unknown>) => void observed.push([what, ...about])
  let output: TransportOutput | undefined
  const states = { unsent: 0 }
  const connection = {
    remote: endpoint("20.0.0.1:8333"),
    local: endpoint("10.0.0.1:9000"),
    unsent: () => states.unsent,
    send: (bytes: Uint8Array, isOwned: boolean) => {
      observed.push(["connection", bytes.length, isOwned])
      structuredClone(bytes, { transfer: [bytes.buffer as ArrayBuffer] })
    },
    close: observe("close")
  }
  const peer = new LivePeer(7, connection as never, {
    now: () => unixMilliseconds(1_234),
    sentBytes: observe("sentBytes"),
    sent: (of, ...about) => void observed.push(["sent", of.id, ...about]),
    sending: (of, command, payload) => void observed.push(["sending", of.id, command, payload.length]),
    maySend: (_, command) => command !== "addr",
    disconnecting: (of, ...about) => void observed.push(["disconnecting", of.id, ...about]),
    discourage: (of, reason) => void observed.push(["discourage", of.id, reason]),
    trusts: () => trusted,
    buffers,
    permits: (at) => {
      observed.push(["permits", at])
      return new Set(permissions) as never
    }
  }, {
    kind,
    writtenAs: "node.example",
    transport: (_, out) => {
      output = out
      return { send: observe("transport") } as never
    }
  })
  return { connection, output: output!, peer, said: () => observed.splice(0), states }
}

describe("a live peer", () => {
  it("is what its connection and its opening are", () => {
    const { connection: { local, remote }, peer, said } = place()
    assert.deepStrictEqual(
      [peer.id, peer.kind, peer.inbound, peer.name, peer.writtenAs, peer.connectedAt, peer.isTrusted],
      [7, "inbound", true, "20.0.0.1:8333", "node.example", 1_234, false]
    )
    assert.deepStrictEqual([peer.endpoint, peer.local, peer.isReady, peer.isGone], [remote, local, false, false])
    assert.deepStrictEqual(said(), [["permits", { address: remote.address, local, inbound: true, network: undefined }]])
    assert.isFalse(place("manual").peer.inbound)
  })

  it("is trusted by its permission or its address", () => {
    assert.deepStrictEqual(
      [place("inbound", ["noban"]), place("inbound", ["relay"]), place("inbound", [], true)].map(({ peer }) =>
        peer.isTrusted
      ),
      [true, false, true]
    )
  })

  it("sends its messages through the transport, and counts what goes out, of each command", () => {
    const { output, peer, said } = place()
    said()
    peer.send({ command: "ping", nonce: 7n } as never)
    peer.sendOwned({ command: "ping", nonce: 7n } as never)
    peer.sendPayload("tx", Uint8Array.of(1, 2, 3), true)
    const payload = Uint8Array.of(7, 0, 0, 0, 0, 0, 0, 0)
    assert.deepStrictEqual(said(), [
      ["sending", 7, "ping", 8],
      ["transport", "ping", payload, false],
      ["sending", 7, "ping", 8],
      ["transport", "ping", payload, true],
      ["sending", 7, "tx", 3],
      ["transport", "tx", Uint8Array.of(1, 2, 3), true]
    ])
    output.bytes(new Uint8Array(32), true)
    output.message("ping", 32)
    output.message("ping", 8)
    assert.deepStrictEqual(said(), [
      ["connection", 32, true],
      ["sentBytes", 32],
      ["sent", 7, "ping", 32],
      ["sent", 7, "ping", 8]
    ])
    const { bytesSent, lastSend, sentPerCommand } = peer.traffic
    assert.deepStrictEqual([bytesSent, lastSend, [...sentPerCommand]], [32, 1_234, [["ping", 40]]])
  })

  it("leaves out what may not go to it", () => {
    const { peer, said } = place()
    said()
    peer.send({ command: "addr", addresses: [] })
    assert.deepStrictEqual(said(), [])
  })

  it("encodes nothing once it is gone", () => {
    const { peer, said } = place()
    peer.disconnect({ _tag: "OperatorRequest" })
    said()
    const unread = new Proxy({ command: "ping" }, {
      get: () => {
        throw new Error("the message was read")
      }
    }) as never
    peer.send(unread)
    peer.sendOwned(unread)
    peer.sendPayload("tx", new Uint8Array(1))
    assert.deepStrictEqual(said(), [])
  })

  it("has its work charged for what goes out", () => {
    const { output, peer } = place()
    const charged: Array<number> = []
    peer.work = { charge: (bytes) => void charged.push(bytes), isSpent: () => true }
    output.message("tx", 9)
    assert.deepStrictEqual([charged, peer.hasRoom()], [[9], false])
  })

  it("has as much room as an operator gives it, and one answer more before it is disconnected", () => {
    const { peer, states } = place("inbound", [], false, { received: 1, unsent: 40 * MEGABYTE })
    states.unsent = 40 * MEGABYTE
    assert.isTrue(peer.hasRoom())
    states.unsent = 71 * MEGABYTE
    assert.isFalse(peer.hasRoom())
    peer.sendPayload("tx", new Uint8Array(1))
    assert.isFalse(peer.isGone)
    states.unsent++
    peer.sendPayload("tx", new Uint8Array(1))
    assert.isTrue(peer.isGone)
  })

  it("has room up to a megabyte that waits, and is disconnected above 32 of them", () => {
    const { peer, said, states } = place()
    states.unsent = MEGABYTE
    assert.isTrue(peer.hasRoom())
    states.unsent++
    assert.isFalse(peer.hasRoom())
    states.unsent = 32 * MEGABYTE
    peer.sendPayload("tx", new Uint8Array(1))
    assert.isFalse(peer.isGone)
    states.unsent++
    said()
    peer.sendPayload("tx", new Uint8Array(1))
    assert.deepStrictEqual([peer.isGone, peer.reason, said().slice(-2)], [true, { _tag: "AnswersNotRead" }, [
      ["disconnecting", 7, { _tag: "AnswersNotRead" }],
      ["close"]
    ]])
    assert.strictEqual(peer.unsent(), 0)
  })

  it("that is gone sends nothing, is disconnected once, and not discouraged any more", () => {
    const { peer, said } = place()
    peer.discourage({ _tag: "HeaderWithoutWork" })
    peer.disconnect({ _tag: "OperatorRequest" })
    peer.disconnect({ _tag: "NodeStopping" })
    said()
    peer.send({ command: "ping", nonce: 7n } as never)
    peer.sendOwned({ command: "ping", nonce: 7n } as never)
    peer.sendPayload("tx", new Uint8Array(1))
    peer.discourage({ _tag: "HeaderWithoutWork" })
    assert.deepStrictEqual([said(), peer.reason], [[], { _tag: "OperatorRequest" }])
    const other = place()
    other.said()
    other.peer.discourage({ _tag: "HeaderWithoutWork" })
    assert.deepStrictEqual(other.said(), [["discourage", 7, { _tag: "HeaderWithoutWork" }]])
  })

  it("has counters that add up", () => {
    const table = new Map([["a", 1]])
    addToCounter(table, "a", 2)
    addToCounter(table, "b", 3)
    assert.deepStrictEqual([...table], [["a", 3], ["b", 3]])
  })
})

describe("a tick", () => {
  it("goes to each part, then to its ready peers; a defect costs one peer, or is reported", () => {
    const observed: Array<string> = []
    const peers = new Map<number, Peer>()
    for (const [id, more] of [{}, { isReady: false }, { isGone: true }, {}].entries()) {
      peers.set(id, Object.assign(scriptedPeer(id, "inbound"), more))
    }
    const ticking: Ticking = {
      environment: { now: () => unixMilliseconds(55) } as Ticking["environment"],
      peers,
      parts: [
        { name: "one", tickAll: (now) => void observed.push(`all of one ${now}`) },
        {
          name: "two",
          tickAll: () => {
            throw new Error("oh")
          },
          tick: ({ id }, now) => void observed.push(`two ${id} ${now}`)
        }
      ],
      guarded: ({ id }, what, run) => {
        observed.push(`guarded ${id} ${what}`)
        run()
      },
      defect: (what, defect) => void observed.push(`${what}: ${String(defect)}`)
    }
    tickOnce(ticking)
    assert.deepStrictEqual(observed, [
      "all of one 55",
      "two.tickAll: Error: oh",
      "guarded 0 two.tick",
      "two 0 55",
      "guarded 3 two.tick",
      "two 3 55"
    ])
  })
})
