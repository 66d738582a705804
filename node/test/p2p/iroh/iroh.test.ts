import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { endpointText, parseNode } from "../../../src/net/endpoint-text.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { loadIrohBinding } from "../../../src/p2p/transport/iroh/iroh-binding.ts"
import { irohTransport } from "../../../src/p2p/transport/iroh/iroh-transport.ts"
import type { Transport } from "../../../src/p2p/transport/transport.ts"
import { recorder } from "../transport/recorder.ts"
import { describeTransport, endpoint } from "../transport/transport-suite.ts"
import { startRelay } from "../transport/udp-relay.ts"
import { isPrivateNetwork } from "./private-network.ts"

/** Real sockets need real time, and time limits the clock of the test. */
const pass = Effect.callback<void>((resume) => void setTimeout(() => resume(Effect.void), 2)).pipe(
  Effect.andThen(TestClock.adjust(4))
)

const untilReal = (holds: () => boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    yield* pass
    while (!holds()) yield* pass
  })

const nodeOf = Effect.fnUntraced(function*(seed: number): Effect.fn.Return<Transport, never, Scope.Scope> {
  const loaded = loadIrohBinding()
  if (loaded._tag === "Missing") return yield* Effect.die(`this machine has no binding: ${loaded.reason}`)
  return yield* irohTransport({ binding: loaded.binding, seed: new Uint8Array(32).fill(seed), connectTimeout: 3_000 })
})

const overIroh = (text: string, identity?: string): Endpoint => ({ ...endpoint(text), iroh: { identity } })

const make = (bind: string) =>
  Effect.gen(function*() {
    return { dialing: yield* nodeOf(1), listening: yield* nodeOf(2), bind: overIroh(bind) }
  })

const ofIroh = (): void => {
  for (const bind of ["127.0.0.1:0", "[::1]:0"]) {
    describeTransport({
      name: `Iroh at ${bind}`,
      make: make(bind),
      until: untilReal,
      isOneMachine: false,
      megabytes: 6
    })
  }

  describe("Iroh", () => {
    it.effect("an address reaches the node with its identity, and no other", () =>
      Effect.gen(function*() {
        const { bind, dialing, listening } = yield* make("127.0.0.1:0")
        const [ours, theirs] = [recorder(), recorder()]
        const at = yield* listening.listen(bind, theirs.accept)
        assert.match(endpointText(at), /^iroh:\/\/[0-9a-f]{64}@127\.0\.0\.1:\d+$/)
        assert.deepStrictEqual(parseNode(endpointText(at), 0), at)
        const other = (yield* (yield* nodeOf(9)).listen(bind, recorder().accept)).iroh!.identity!
        const wrong = overIroh(`127.0.0.1:${at.port}`, other)
        let message = ""
        yield* Effect.forkChild(
          Effect.flip(dialing.dial(wrong, ours.accept)).pipe(Effect.map((error) => void (message = error.message)))
        )
        yield* untilReal(() => message !== "")
        assert.strictEqual(
          message,
          `another node answers there: its identity is not ${other}`
        )
        assert.deepStrictEqual([ours.sides.length, theirs.sides.length], [0, 0])
        const unnamed = yield* Effect.flip(dialing.dial(overIroh(`127.0.0.1:${at.port}`), ours.accept))
        assert.include(unnamed.message, "name it as iroh://identity@host:port")
        yield* dialing.dial(at, ours.accept)
        yield* untilReal(() => theirs.sides.length === 1)
        assert.match(theirs.sides[0]!.connection.remote.iroh!.identity!, /^[0-9a-f]{64}$/)
      }))

    it.effect("two nodes that listen dial each other", () =>
      Effect.gen(function*() {
        const { bind, dialing: one, listening: other } = yield* make("127.0.0.1:0")
        const [ours, theirs] = [recorder(), recorder()]
        const [here, there] = [yield* one.listen(bind, ours.accept), yield* other.listen(bind, theirs.accept)]
        yield* one.dial(there, recorder().accept)
        yield* other.dial(here, recorder().accept)
        yield* untilReal(() => ours.sides.length === 1 && theirs.sides.length === 1)
        assert.deepStrictEqual(theirs.sides[0]!.connection.remote.iroh, here.iroh)
        assert.deepStrictEqual(theirs.sides[0]!.connection.remote.port, here.port)
      }))

    it.effect("a line that drops one datagram in twenty delivers everything", () =>
      Effect.gen(function*() {
        const { bind, dialing, listening } = yield* make("127.0.0.1:0")
        const [ours, theirs] = [recorder(), recorder()]
        const at = yield* listening.listen(bind, theirs.accept)
        const relay = yield* startRelay(at.port, 0.05, 20_261_123)
        yield* dialing.dial(overIroh(`127.0.0.1:${relay.port}`, at.iroh!.identity), ours.accept)
        yield* untilReal(() => theirs.sides.length === 1)
        const sent = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) & 0xff)
        ours.sides[0]!.connection.send(sent)
        yield* untilReal(() => theirs.sides[0]!.bytes.length === sent.length)
        assert.isTrue(Buffer.from(theirs.sides[0]!.bytes).equals(sent))
      }))

    it.effect("a place that is taken is refused with what to do", () =>
      Effect.gen(function*() {
        const { bind, listening } = yield* make("127.0.0.1:0")
        const at = yield* listening.listen(bind, recorder().accept)
        const { message } = yield* Effect.flip((yield* nodeOf(3)).listen(at, recorder().accept))
        assert.include(
          message,
          "another program listens there: stop it, or choose another address with [connections].iroh"
        )
      }))
  })
}

if (isPrivateNetwork) ofIroh()
else describe.skip("Iroh runs where there is no network but the loopback interface", () => void it("is skipped here"))
