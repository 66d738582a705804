import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { endpointText, parseNode } from "../../../src/net/endpoint-text.ts"
import { loadQuicBinding } from "../../../src/quic/quic-binding.ts"
import { quicKeyOf } from "../../../src/quic/quic-key.ts"
import { startQuic } from "../../../src/p2p/transport/quic/start-quic.ts"
import { quicTransport } from "../../../src/p2p/transport/quic/quic-transport.ts"
import type { Transport } from "../../../src/p2p/transport/transport.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { recorder } from "./recorder.ts"
import { describeTransport, endpoint } from "./transport-suite.ts"
import { startRelay } from "./udp-relay.ts"

const IDLE_MS = 300

/** Real sockets need real time, and time limits the clock of the test. */
const pass = Effect.callback<void>((resume) => void setTimeout(() => resume(Effect.void), 2)).pipe(
  Effect.andThen(TestClock.adjust(20))
)

const untilReal = (holds: () => boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    yield* pass
    while (!holds()) yield* pass
  })

const nodeOf = Effect.fnUntraced(function*(seed: number): Effect.fn.Return<Transport, never, Scope.Scope> {
  const loaded = loadQuicBinding()
  if (loaded._tag === "Missing") return yield* Effect.die(`this machine has no binding: ${loaded.reason}`)
  const key = quicKeyOf(new Uint8Array(32).fill(seed))
  return yield* quicTransport({ binding: loaded.binding, key, connectTimeout: 5_000, idleTimeout: IDLE_MS })
})

const overQuic = (text: string, identity?: string): Endpoint => ({ ...endpoint(text), quic: { identity } })

const make = (bind: string) =>
  Effect.gen(function*() {
    return { dialing: yield* nodeOf(1), listening: yield* nodeOf(2), bind: overQuic(bind) }
  })

describeTransport({
  name: "QUIC over IPv4",
  make: make("127.0.0.1:0"),
  until: untilReal,
  isOneMachine: false,
  megabytes: 6
})

/** Two nodes with a relay between them that drops a share of all datagrams. */
const overRelay = Effect.fnUntraced(function*(share: number) {
  const { bind, dialing, listening } = yield* make("127.0.0.1:0")
  const [ours, theirs] = [recorder(), recorder()]
  const at = yield* listening.listen(bind, theirs.accept)
  const relay = yield* startRelay(at.port, share, 20_261_122)
  yield* dialing.dial(overQuic(`127.0.0.1:${relay.port}`, at.quic?.identity), ours.accept)
  yield* untilReal(() => theirs.sides.length === 1)
  return { ours: ours.sides[0]!, theirs: theirs.sides[0]!, relay }
})

describe("QUIC", () => {
  it.effect("an address that names an identity reaches the node with it, and no other", () =>
    Effect.gen(function*() {
      const { bind, dialing, listening } = yield* make("127.0.0.1:0")
      const theirs = recorder()
      const at = yield* listening.listen(bind, theirs.accept)
      assert.match(endpointText(at), /^quic:\/\/12D3KooW\w{44}@127\.0\.0\.1:\d+$/)
      assert.deepStrictEqual(parseNode(endpointText(at), 0), at)
      const wrong = overQuic(`127.0.0.1:${at.port}`, quicKeyOf(new Uint8Array(32).fill(9)).identity)
      const ours = recorder()
      const error = yield* Effect.flip(dialing.dial(wrong, ours.accept))
      assert.strictEqual(
        error.message,
        `another node answers there: its identity is ${at.quic!.identity}, not ${wrong.quic!.identity}`
      )
      assert.deepStrictEqual([ours.sides.length, theirs.sides.length], [0, 0])
      const { remote } = yield* dialing.dial(overQuic(`127.0.0.1:${at.port}`), ours.accept)
      assert.deepStrictEqual(remote, at)
      yield* untilReal(() => theirs.sides.length === 1)
      assert.strictEqual(
        theirs.sides[0]!.connection.remote.quic?.identity,
        quicKeyOf(new Uint8Array(32).fill(1)).identity
      )
    }))

  it.effect("a side that vanishes without a word is missed by the other", () =>
    Effect.gen(function*() {
      const { ours, relay, theirs } = yield* overRelay(0)
      relay.cut()
      ours.connection.send(new Uint8Array(1_000))
      yield* untilReal(() => ours.closed.length + theirs.closed.length === 2)
      assert.deepStrictEqual(
        [...ours.closed, ...theirs.closed],
        Array(2).fill("the other side does not answer any more")
      )
      assert.strictEqual(ours.connection.unsent(), 0)
    }))

  it.effect("a line that drops one datagram in twenty delivers everything", () =>
    Effect.gen(function*() {
      const { ours, relay, theirs } = yield* overRelay(0.05)
      const sent = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 7) & 0xff)
      ours.connection.send(sent)
      yield* untilReal(() => theirs.bytes.length === sent.length)
      assert.isTrue(Buffer.from(theirs.bytes).equals(sent))
      assert.isAbove(relay.counts.dropped, 0)
    }))

  it.effect("a place that is taken is refused with what to do", () =>
    Effect.gen(function*() {
      const { bind, listening } = yield* make("127.0.0.1:0")
      const at = yield* listening.listen(bind, recorder().accept)
      const { message } = yield* Effect.flip(listening.listen(at, recorder().accept))
      assert.include(
        message,
        "another program listens there: stop it, or choose another address with [connections].quic"
      )
    }))

  it.effect("a machine without the binary is refused with the package to install", () =>
    Effect.gen(function*() {
      const loaded = loadQuicBinding(() => {
        throw new Error("Cannot find module")
      }, ["@chainsafe/libp2p-quic-plan9-x64"])
      const { message } = yield* Effect.flip(startQuic("unused", seededRandom(1), 1_000, loaded))
      assert.strictEqual(
        message,
        "transport_preference allows QUIC, and its binary for this machine cannot be loaded: install " +
          "@chainsafe/libp2p-quic-plan9-x64@2.1.1, or set transport_preference = \"tcponly\" (Cannot find module)"
      )
    }))
})
