import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { type AddressInfo, createServer, type Server } from "node:net"
import { namedEndpoint } from "../../../src/net/named-endpoint.ts"
import { join } from "node:path"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { socksHandshake } from "../../../src/p2p/transport/socks5/socks5-handshake.ts"
import { socks5Transport } from "../../../src/p2p/transport/socks5/socks5-transport.ts"
import { tcpTransport } from "../../../src/p2p/transport/tcp/tcp-transport.ts"
import { chosenTransport, reachableKinds, transportTo } from "../../../src/p2p/transport/transport-choice.ts"
import type { Transport } from "../../../src/p2p/transport/transport.ts"
import { startProxy } from "./proxy-server.ts"
import { recorder } from "./recorder.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { endpoint } from "./transport-suite.ts"
import { patience } from "../../process/patience.ts"

const IPV4 = endpoint("192.0.2.1:8333")
const ONION = endpoint("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333")

const bytes = (...values: ReadonlyArray<number>): Uint8Array => Uint8Array.from(values)

/** One proxy for all but hidden services. */
const through = (proxy: Transport | undefined, onion: Transport | undefined) => ({
  ipv4: proxy,
  ipv6: proxy,
  cjdns: proxy,
  names: proxy,
  onion
})

/** A handshake that is as far as the answer. */
const asked = () => {
  const handshake = socksHandshake(IPV4, undefined)
  handshake.feed(bytes(5, 0))
  return handshake
}

describe("the SOCKS5 handshake", () => {
  it("asks for addresses and names by their texts", () => {
    const one = socksHandshake(IPV4, undefined)
    assert.deepStrictEqual(one.first, bytes(5, 1, 0))
    assert.deepStrictEqual(one.feed(bytes(5, 0)), {
      _tag: "Send",
      bytes: concatBytes([bytes(5, 1, 0, 3, 9), new TextEncoder().encode("192.0.2.1"), bytes(0x20, 0x8d)])
    })
    const two = socksHandshake(ONION, undefined)
    const name = new TextEncoder().encode("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion")
    assert.deepStrictEqual(two.feed(bytes(5, 0)), {
      _tag: "Send",
      bytes: concatBytes([bytes(5, 1, 0, 3, 62), name, bytes(0x20, 0x8d)])
    })
    const three = socksHandshake(namedEndpoint("a.example", 8333), undefined)
    const plain = new TextEncoder().encode("a.example")
    assert.deepStrictEqual(three.feed(bytes(5, 0)), {
      _tag: "Send",
      bytes: concatBytes([bytes(5, 1, 0, 3, 9), plain, bytes(0x20, 0x8d)])
    })
  })

  it("logs in when the proxy wants that and it can", () => {
    const handshake = socksHandshake(IPV4, { username: "ab", password: "c" })
    assert.deepStrictEqual(handshake.first, bytes(5, 2, 0, 2))
    assert.deepStrictEqual(handshake.feed(bytes(5, 2)), { _tag: "Send", bytes: bytes(1, 2, 97, 98, 1, 99) })
    assert.strictEqual(handshake.feed(bytes(1, 0))._tag, "Send")
    const refused = socksHandshake(IPV4, { username: "ab", password: "c" })
    refused.feed(bytes(5, 2))
    assert.strictEqual(refused.feed(bytes(1, 1))._tag, "Failed")
    assert.strictEqual(socksHandshake(IPV4, undefined).feed(bytes(5, 2))._tag, "Failed")
    assert.strictEqual(socksHandshake(IPV4, undefined).feed(bytes(5, 255))._tag, "Failed")
    assert.strictEqual(socksHandshake(IPV4, undefined).feed(bytes(72, 84))._tag, "Failed")
  })

  it("CVE-2017-18350: a name of 255 bytes in the answer is read over, whole or byte by byte", () => {
    for (const length of [0, 1, 127, 128, 200, 255]) {
      const answer = concatBytes([
        bytes(5, 0, 0, 3, length),
        new Uint8Array(length).fill(0xff),
        bytes(1, 2),
        bytes(77, 78)
      ])
      assert.deepStrictEqual(asked().feed(answer), { _tag: "Connected", rest: bytes(77, 78) })
      const slow = asked()
      for (let i = 0; i < 6 + length; i++) {
        assert.deepStrictEqual(slow.feed(answer.slice(i, i + 1)), { _tag: "More" }, `byte ${i}`)
      }
      assert.deepStrictEqual(slow.feed(answer.slice(6 + length, 7 + length)), { _tag: "Connected", rest: bytes() })
    }
  })

  it("says why the proxy refused", () => {
    assert.deepStrictEqual(asked().feed(bytes(5, 5)), { _tag: "Refused", answer: "connection refused" })
    assert.deepStrictEqual(asked().feed(bytes(5, 0xf0)), {
      _tag: "Refused",
      answer: "onion service descriptor can not be found"
    })
    assert.deepStrictEqual(asked().feed(bytes(5, 99)), { _tag: "Refused", answer: "error 99" })
    assert.strictEqual(asked().feed(bytes(5, 0, 0, 9, 9))._tag, "Failed")
    assert.strictEqual(asked().feed(bytes(4))._tag, "Failed")
  })

  it("never throws, and holds no more than an answer", () => {
    const random = seededRandom(3)
    for (let round = 0; round < 2_000; round++) {
      const handshake = socksHandshake(random.below(2) === 0 ? IPV4 : ONION, { username: "a", password: "b" })
      for (let step = 0; step < 6; step++) {
        const answer = handshake.feed(
          random.below(2) === 0 ? bytes(5, 0, 0, random.below(5)) : random.bytes(random.below(300))
        )
        if (answer._tag === "Failed" || answer._tag === "Connected") break
      }
    }
  })
})

describe("connections through a proxy", () => {
  it.live("have credentials of their own each, so that Tor keeps them apart", () =>
    Effect.gen(function*() {
      const at = yield* tcpTransport.listen(endpoint("127.0.0.1:0"), recorder().accept)
      const proxy = yield* startProxy({ login: true, to: at, piece: 1 })
      const transport = socks5Transport({ proxy: proxy.at, isolation: seededRandom(5) })
      for (let i = 0; i < 3; i++) yield* transport.dial(ONION, recorder().accept)
      assert.deepStrictEqual(
        proxy.asked.map(({ host, port, type }) => [type, host, port]),
        Array.from({ length: 3 }, () => [3, "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion", 8_333])
      )
      assert.strictEqual(new Set(proxy.asked.map(({ password, username }) => `${username}:${password}`)).size, 3)
      const plain = socks5Transport({ proxy: proxy.at, isolation: undefined })
      yield* plain.dial(ONION, recorder().accept)
      assert.isUndefined(proxy.asked[3]!.username)
    }), patience(30_000))

  it.live("distinguish a proxy that is not there from a node that is not", () =>
    Effect.gen(function*() {
      const gone = yield* Effect.scoped(tcpTransport.listen(endpoint("127.0.0.1:0"), recorder().accept))
      const noProxy = yield* Effect.flip(
        socks5Transport({ proxy: gone, isolation: undefined }).dial(IPV4, recorder().accept)
      )
      assert.deepStrictEqual([noProxy.isProxy, noProxy.message.includes("the proxy 127.0.0.1")], [true, true])
      const proxy = yield* startProxy({ reply: bytes(5, 4, 0, 1, 0, 0, 0, 0, 0, 0) })
      const noNode = yield* Effect.flip(
        socks5Transport({ proxy: proxy.at, isolation: undefined }).dial(IPV4, recorder().accept)
      )
      assert.deepStrictEqual([noNode.isProxy, noNode.message, noNode.fault], [
        false,
        "the proxy says: host unreachable",
        { _tag: "ProxyRefused", answer: "host unreachable" }
      ])
    }), patience(30_000))

  it.live("reach a proxy at its Unix socket", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "socks")
      const gone = socks5Transport({ proxy: { path }, isolation: undefined })
      const { isProxy, message } = yield* Effect.flip(gone.dial(IPV4, recorder().accept))
      assert.isTrue(isProxy)
      assert.include(message, `the proxy unix:${path} cannot be reached`)
      const at = yield* tcpTransport.listen(endpoint("127.0.0.1:0"), recorder().accept)
      const proxy = yield* startProxy({ login: true, to: at, path })
      yield* socks5Transport({ proxy: { path }, isolation: seededRandom(5) }).dial(ONION, recorder().accept)
      assert.deepStrictEqual(proxy.asked.map(({ host, port }) => [host, port]), [[
        "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion",
        8_333
      ]])
    }), patience(30_000))

  const untilAsked = (proxy: { readonly connections: () => number }) =>
    Effect.promise(async () => {
      while (proxy.connections() === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    })

  it.effect(
    "a proxy that says nothing is given up after 20 s, and its connection closed",
    () =>
      Effect.gen(function*() {
        const proxy = yield* startProxy({ greeting: bytes() })
        const dial = socks5Transport({ proxy: proxy.at, isolation: undefined }).dial(IPV4, recorder().accept)
        const fiber = yield* Effect.forkChild(Effect.flip(dial))
        yield* untilAsked(proxy)
        // The dial itself goes on only after the socket is there.
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual((yield* Fiber.join(fiber)).message, "the proxy reached no node within 20 s")
        yield* Effect.promise(async () => {
          while (proxy.connections() > 0) await new Promise((resolve) => setTimeout(resolve, 2))
        })
      }),
    patience(30_000)
  )

  it.live("say so when the proxy hangs up before it has answered", () =>
    Effect.gen(function*() {
      const hangingUp = (after: Uint8Array) =>
        Effect.gen(function*() {
          const server = yield* Effect.acquireRelease(
            Effect.promise(() =>
              new Promise<Server>((resolve) => {
                const made = createServer((socket) => {
                  socket.on("error", () => {})
                  socket.once("data", () => socket.end(after))
                })
                made.listen(0, "127.0.0.1", () => resolve(made))
              })
            ),
            (made) => Effect.sync(() => void made.close())
          )
          const { port } = server.address() as AddressInfo
          const dial = socks5Transport({ proxy: endpoint(`127.0.0.1:${port}`), isolation: undefined })
            .dial(IPV4, recorder().accept)
          return yield* Effect.flip(dial)
        }).pipe(Effect.scoped)
      for (const after of [bytes(), bytes(5), bytes(5, 0)]) {
        const { isProxy, message } = yield* hangingUp(after)
        assert.deepStrictEqual([isProxy, message], [false, "the proxy closed the connection"])
      }
    }), patience(30_000))

  it.live("an attempt that is given up closes its connection", () =>
    Effect.gen(function*() {
      const proxy = yield* startProxy({ greeting: bytes() })
      const dial = socks5Transport({ proxy: proxy.at, isolation: undefined }).dial(IPV4, recorder().accept)
      const fiber = yield* Effect.forkChild(dial)
      yield* untilAsked(proxy)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(async () => {
        while (proxy.connections() > 0) await new Promise((resolve) => setTimeout(resolve, 2))
      })
    }), patience(30_000))

  it("the way to each address", () => {
    const [proxy, onion] = ["proxy", "onion"].map((name) => ({ ...tcpTransport, name }))
    const kinds = [IPV4, endpoint("[2001:db8::1]:1"), ONION, endpoint("127.0.0.1:1"), endpoint("10.0.0.1:1")]
    const named = namedEndpoint("node.example", 8333)
    const way = (ways: Parameters<typeof transportTo>[0]) => kinds.map((target) => transportTo(ways, target)?.name)
    assert.strictEqual(transportTo({ direct: tcpTransport, proxies: through(proxy!, proxy!) }, named)?.name, "proxy")
    assert.isUndefined(
      transportTo({ direct: tcpTransport, proxies: through(undefined, onion!) }, named),
      "a name is never looked up here"
    )
    assert.deepStrictEqual(way({ direct: tcpTransport, proxies: through(undefined, undefined) }), [
      "tcp",
      "tcp",
      undefined,
      "tcp",
      "tcp"
    ])
    assert.deepStrictEqual(way({ direct: tcpTransport, proxies: through(proxy!, proxy!) }), [
      "proxy",
      "proxy",
      "proxy",
      "tcp",
      "tcp"
    ])
    assert.deepStrictEqual(way({ direct: tcpTransport, proxies: through(undefined, onion!) }), [
      "tcp",
      "tcp",
      "onion",
      "tcp",
      "tcp"
    ])
    assert.isTrue(reachableKinds({ direct: tcpTransport, proxies: through(undefined, onion!) }).has("onion"))
    assert.isFalse(reachableKinds({ direct: tcpTransport, proxies: through(undefined, undefined) }).has("onion"))
  })

  it.effect("a hidden service without a proxy is refused with what to do", () =>
    Effect.gen(function*() {
      const transport = chosenTransport({ direct: tcpTransport, proxies: through(undefined, undefined) })
      const error = yield* Effect.flip(transport.dial(ONION, recorder().accept))
      assert.include(error.message, "[connections].onion_proxy")
      const i2p = { address: { network: AddressNetwork.I2P, bytes: new Uint8Array(32) }, port: 0 }
      assert.strictEqual((yield* Effect.flip(transport.dial(i2p, recorder().accept)))._tag, "DialError")
    }))
})
