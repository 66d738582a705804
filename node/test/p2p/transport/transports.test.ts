import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { chosenTransport } from "../../../src/p2p/transport/transport-choice.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { MESSAGE_OVERHEAD } from "../../../src/p2p/transport/tcp/socket-connection.ts"
import { socks5Transport } from "../../../src/p2p/transport/socks5/socks5-transport.ts"
import { tcpTransport } from "../../../src/p2p/transport/tcp/tcp-transport.ts"
import { virtualClock } from "../../../src/p2p/transport/virtual/virtual-clock.ts"
import { virtualNetwork } from "../../../src/p2p/transport/virtual/virtual-network.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { startProxy } from "./proxy-server.ts"
import { recorder } from "./recorder.ts"
import { describeTransport, endpoint } from "./transport-suite.ts"

/** Real sockets need real time. */
const pass = Effect.callback<void>((resume) => void setTimeout(() => resume(Effect.void), 2))

const untilReal = (holds: () => boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    yield* pass
    while (!holds()) yield* pass
  })

describeTransport({
  name: "TCP over IPv4",
  make: Effect.succeed({ dialing: tcpTransport, listening: tcpTransport, bind: endpoint("127.0.0.1:0") }),
  until: untilReal,
  isOneMachine: true
})

describeTransport({
  name: "TCP over IPv6",
  make: Effect.succeed({ dialing: tcpTransport, listening: tcpTransport, bind: endpoint("[::1]:0") }),
  until: untilReal,
  isOneMachine: true
})

describe("bytes handed to a TCP connection", () => {
  it.live("are given back once they are gone where they were given, and are left alone otherwise", () =>
    Effect.gen(function*() {
      const { accept, sides } = recorder()
      const bound = yield* tcpTransport.listen(endpoint("127.0.0.1:0"), accept)
      const connection = yield* tcpTransport.dial(bound, recorder().accept)
      const [lent, given] = [new Uint8Array(300_000).fill(1), new Uint8Array(300_000).fill(2)]
      connection.send(lent)
      connection.send(given, true)
      yield* untilReal(() => sides[0]?.bytes.length === 600_000 && connection.unsent() === 0)
      assert.deepStrictEqual([sides[0]!.bytes[299_999], sides[0]!.bytes[300_000], sides[0]!.bytes[599_999]], [1, 2, 2])
      assert.deepStrictEqual([lent.byteLength, given.byteLength], [300_000, 0])
      connection.close()
    }).pipe(Effect.scoped))
})

describe("a flood of connections over TCP", () => {
  it.live("is refused before it is accepted, and later connections are accepted", () =>
    Effect.gen(function*() {
      const { accept, sides } = recorder()
      const away: Array<string> = []
      let isFlooded = true
      const turnedAway = (remote: Endpoint): void => void away.push(endpointText(remote))
      const at = yield* tcpTransport.listen(endpoint("127.0.0.1:0"), accept, {
        leavesIpv4: false,
        isFlooded: () => isFlooded,
        turnedAway
      })
      const one = recorder()
      yield* tcpTransport.dial(at, one.accept)
      yield* untilReal(() => one.sides[0]!.closed.length === 1)
      assert.match(away.join(), /^127\.0\.0\.1:\d+$/)
      assert.strictEqual(sides.length, 0)
      isFlooded = false
      yield* tcpTransport.dial(at, recorder().accept)
      yield* untilReal(() => sides.length === 1)
      assert.strictEqual(away.length, 1)
    }).pipe(Effect.scoped))
})

describe("listening over TCP", () => {
  const reaches = (target: ReturnType<typeof endpoint>) =>
    Effect.map(Effect.exit(tcpTransport.dial(target, recorder().accept)), (exit) => exit._tag === "Success")

  it.live("[::] takes connections over IPv4 too, and names their addresses as such", () =>
    Effect.gen(function*() {
      const { accept, sides } = recorder()
      const { port } = yield* tcpTransport.listen(endpoint("[::]:0"), accept)
      assert.isTrue(yield* reaches(endpoint(`127.0.0.1:${port}`)))
      assert.isTrue(yield* reaches(endpoint(`[::1]:${port}`)))
      yield* untilReal(() => sides.length === 2)
      assert.sameMembers(sides.map(({ connection }) => endpointText(connection.remote).replace(/:\d+$/, "")), [
        "127.0.0.1",
        "[::1]"
      ])
    }))

  it.live("[::] leaves IPv4 to a place of its own at the same port", () =>
    Effect.gen(function*() {
      const [four, six] = [recorder(), recorder()]
      const { port } = yield* tcpTransport.listen(endpoint("0.0.0.0:0"), four.accept)
      const taken = yield* Effect.flip(tcpTransport.listen(endpoint(`[::]:${port}`), six.accept))
      assert.include(taken.message, "another program listens there")
      yield* tcpTransport.listen(endpoint(`[::]:${port}`), six.accept, { leavesIpv4: true })
      assert.isTrue(yield* reaches(endpoint(`127.0.0.1:${port}`)))
      assert.isTrue(yield* reaches(endpoint(`[::1]:${port}`)))
      yield* untilReal(() => six.sides.length + four.sides.length === 2)
      assert.deepStrictEqual([four.sides.length, six.sides.length], [1, 1])
    }))
})

describe("what waits to be sent over TCP", () => {
  const stuck = Effect.gen(function*() {
    const [ours, theirs] = [recorder(), recorder((connection) => connection.pause())]
    const at = yield* tcpTransport.listen(endpoint("127.0.0.1:0"), theirs.accept)
    const connection = yield* tcpTransport.dial(at, ours.accept)
    yield* untilReal(() => theirs.sides.length === 1)
    connection.send(new Uint8Array(24_000_000))
    return { connection, ours: ours.sides[0]!, theirs: theirs.sides[0]! }
  })

  it.live("counts with what each message costs, until it is sent", () =>
    Effect.gen(function*() {
      const { connection, ours, theirs } = yield* stuck
      const before = connection.unsent()
      for (const size of [1, 5_000]) for (let i = 0; i < 100; i++) connection.send(new Uint8Array(size))
      assert.strictEqual(connection.unsent() - before, 100 * (1 + MESSAGE_OVERHEAD) + 100 * (5_000 + MESSAGE_OVERHEAD))
      theirs.connection.resume()
      yield* untilReal(() => connection.unsent() === 0)
      assert.isAbove(ours.drained, 0)
    }))

  it.live("is put together where it is small, and comes in order among what is large", () =>
    Effect.gen(function*() {
      const { connection, ours, theirs } = yield* stuck
      const sent: Array<number> = []
      for (let i = 0; i < 4_000; i++) {
        // Some are larger than what waits together, some end a buffer exactly.
        const bytes = new Uint8Array(i % 500 === 499 ? 6_000 : i % 32).fill(i % 251)
        for (const byte of bytes) sent.push(byte)
        connection.send(bytes)
      }
      theirs.connection.resume()
      yield* untilReal(() => connection.unsent() === 0 && theirs.bytes.length === 24_000_000 + sent.length)
      assert.deepStrictEqual(theirs.bytes.slice(24_000_000), sent)
      assert.isAbove(ours.drained, 0)
    }))
})

describeTransport({
  name: "the choice of ways",
  make: Effect.sync(() => {
    const transport = chosenTransport({
      direct: tcpTransport,
      proxies: { ipv4: undefined, ipv6: undefined, onion: undefined, cjdns: undefined, names: undefined }
    })
    return { dialing: transport, listening: transport, bind: endpoint("127.0.0.1:0") }
  }),
  until: untilReal,
  isOneMachine: true
})

describeTransport({
  name: "SOCKS5",
  make: Effect.map(startProxy({ login: true }), (proxy) => ({
    dialing: socks5Transport({ proxy: proxy.at, isolation: seededRandom(1) }),
    listening: tcpTransport,
    bind: endpoint("127.0.0.1:0")
  })),
  until: untilReal,
  isOneMachine: false
})

const virtual = (() => {
  const clock = virtualClock(1_000_000)
  let machines = 0
  return {
    make: Effect.sync(() => {
      const network = virtualNetwork({ clock, random: seededRandom(7) })
      const [one, two] = [`10.0.0.${++machines}:0`, `10.0.0.${++machines}:18444`].map(endpoint)
      return { dialing: network.transport(one!.address), listening: network.transport(two!.address), bind: two! }
    }),
    until: (holds: () => boolean) =>
      Effect.gen(function*() {
        for (let idle = 0; !holds(); idle++) {
          if (idle > 100_000) throw new Error("nothing happens any more")
          clock.advanceTo(clock.nextAt() ?? clock.now() + 1)
          yield* Effect.yieldNow
        }
      })
  }
})()

describeTransport({ name: "a network within the process", ...virtual, isOneMachine: true })
