import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { displayHash } from "../../../src/hex.ts"
import { CONNECTION_LIMITS } from "../../../src/p2p/connections/connection-limits.ts"
import { DialError, type Transport } from "../../../src/p2p/transport/transport.ts"
import { hollowBlock, stillChain } from "../peer/still-chain.ts"
import { unconfirmedTransaction, pooled } from "../relay/pool-transaction.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { caller, pass, robot } from "./robot.ts"
import { addressOfName } from "../../../src/net/named-endpoint.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { testLayer, type TestLayer } from "./test-layer.ts"
import { unixSeconds } from "../../../src/quantities.ts"

const observed = ({ events }: TestLayer, type: string) =>
  events.filter(({ what }) => what === type).map(({ about }) => about)

const SECONDS = 1_700_193_573

describe("events of the network", () => {
  it.effect("of connections: attempts, peers that come and go, and bans", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({
        target: 0,
        options: { messagesHaveSubscribers: () => true, persistent: ["20.1.1.1", "21.1.1.1"] }
      })
      yield* robot(layer, endpoint("20.1.1.1:18444"))
      yield* caller(layer, endpoint("22.1.1.1:7"))
      yield* pass(layer, 2_000)
      assert.deepInclude(observed(layer, "ConnectionAttempt"), { peer: "20.1.1.1:18444", success: true })
      assert.deepInclude(observed(layer, "ConnectionAttempt"), {
        peer: "21.1.1.1:18444",
        success: false,
        error: "ECONNREFUSED"
      })
      const hello = { services: "0000000000000009", version: 70_016, transport: "v1" }
      assert.deepInclude(observed(layer, "PeerConnected"), { peer: "20.1.1.1:18444", direction: "outbound", ...hello })
      const [inbound] = [...layer.service.peers.values()].filter((peer) => peer.inbound)
      assert.deepInclude(observed(layer, "PeerConnected"), { peer: inbound!.name, direction: "inbound", ...hello })
      inbound!.discourage({ _tag: "HeaderWithoutWork" })
      yield* pass(layer, 200)
      assert.deepInclude(observed(layer, "PeerDisconnected"), {
        peer: inbound!.name,
        reason: "header with invalid proof of work"
      })
      // For as long as the node runs: no end is reported.
      assert.deepStrictEqual(observed(layer, "PeerBanned"), [{
        peer: "22.1.1.1",
        reason: "header with invalid proof of work"
      }])
      layer.reputation.ban({
        subnet: { address: endpoint("30.1.1.0:1").address, bits: 24 },
        created: unixSeconds(SECONDS),
        until: unixSeconds(SECONDS + 5)
      })
      // Who looks at the list does not take the event away.
      yield* pass(layer, 4_900)
      yield* Effect.sync(() => layer.reputation.bans.list(unixSeconds(SECONDS + 10_000)))
      yield* pass(layer, 1_100)
      assert.deepInclude(observed(layer, "PeerUnbanned"), { peer: "30.1.1.0/24" })
      assert.isTrue(
        observed(layer, "MessageSent").some(({ bytes, command }) => command === "version" && Number(bytes) > 100)
      )
      assert.isTrue(
        observed(layer, "MessageReceived").some(({ command, peer }) =>
          command === "verack" && peer === "20.1.1.1:18444"
        )
      )
    }))

  it.effect(
    "of ways to networks: one that works, and our own proxy that works no longer",
    () =>
      Effect.gen(function*() {
        const direct = yield* testLayer({ target: 0, options: { persistent: ["20.1.1.1", "21.1.1.1"] } })
        for (const at of ["20.1.1.1:18444", "21.1.1.1:18444"]) yield* robot(direct, endpoint(at))
        yield* pass(direct, 2_000)
        assert.deepStrictEqual(observed(direct, "RouteDiscovered"), [{ destination: "ipv4", path: [] }])
        const gone: Transport = {
          name: "gone",
          dial: () => Effect.fail(new DialError({ message: "the proxy is gone", isProxy: true })),
          listen: (bind) => Effect.succeed(bind)
        }
        const proxied = yield* testLayer({
          target: 0,
          options: { transport: gone, namesToProxy: true, persistent: ["20.1.1.1", "21.1.1.1", "a.example"] }
        })
        yield* pass(proxied, 5_000)
        assert.sameDeepMembers(
          observed(proxied, "RouteFailed"),
          ["ipv4", "name"].map((destination) => ({ destination, reason: "the proxy is gone" }))
        )
      })
  )

  it.effect("of addresses: one that is new, one that is forgotten, and too many", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0 })
      const [other] = [yield* caller(layer, endpoint("22.1.1.1:7"))]
      yield* pass(layer, 1_000)
      const addresses = ["41.1.1.1:8333", "42.1.1.1:8333"].map((text) => ({
        ...endpoint(text),
        services: 9n,
        time: SECONDS
      }))
      other.links[0]!.say({ command: "addr", addresses })
      other.links[0]!.say({ command: "addr", addresses })
      yield* pass(layer, 500)
      const [found] = observed(layer, "AddressDiscovered")
      assert.strictEqual(observed(layer, "AddressDiscovered").length, 1)
      assert.match(String(found!["address"]), /^4[12]\.1\.1\.1:8333$/)
      assert.strictEqual(found!["source"], "22.1.1.1")
      // One that is known already, before one that is new.
      const fresh = { ...endpoint("43.1.1.1:8333"), services: 9n, time: SECONDS }
      const known = addresses.filter((each) => endpointText(each) === found!["address"])
      layer.service.book.add([...known, fresh], endpoint("22.1.1.1:7").address)
      assert.deepStrictEqual(observed(layer, "AddressDiscovered").at(-1), {
        address: "43.1.1.1:8333",
        source: "22.1.1.1"
      })
      assert.strictEqual(observed(layer, "AddressDiscovered").length, 2)
      layer.service.book.add([{ ...fresh, ...endpoint("44.1.1.1:8333") }], addressOfName("seed.example"))
      assert.deepStrictEqual(observed(layer, "AddressDiscovered").at(-1), {
        address: "44.1.1.1:8333",
        source: "a name server"
      })
      assert.strictEqual(observed(layer, "RateLimitExceeded").length, 1)
      assert.deepInclude(observed(layer, "RateLimitExceeded")[0], {
        limit: "addresses",
        current: 2,
        most: 1
      })
      // What has not been seen for weeks makes way for any address, what was seen lately for none.
      const [from] = [endpoint("22.1.1.1:7").address]
      const many = (first: number, time: number) =>
        Array.from(
          { length: 6_000 },
          (_, i) => ({ ...endpoint(`${first}.${i >> 8}.${i & 255}.1:8333`), services: 9n, time })
        )
      layer.service.book.add(many(61, SECONDS), endpoint("23.1.1.1:7").address)
      assert.strictEqual(observed(layer, "AddressExpired").length, 0)
      layer.service.book.add(many(60, SECONDS - 40 * 86_400), from)
      assert.isAbove(observed(layer, "AddressExpired").length, 100)
      assert.match(String(observed(layer, "AddressExpired")[0]!["address"]), /^60\.\d+\.\d+\.1:8333$/)
    }))

  it.effect(
    "of what goes to all peers: a transaction of this node, not one that a peer announced, and blocks",
    () =>
      Effect.gen(function*() {
        const chain = stillChain()
        const layer = yield* testLayer({ target: 0, chain })
        const callers = [yield* caller(layer, endpoint("22.1.1.1:7")), yield* caller(layer, endpoint("23.1.1.1:7"))]
        yield* pass(layer, 60_000)
        const own = pooled(unconfirmedTransaction(1))
        chain.pool(own)
        chain.notify("transactionAdded", own, true)
        const hash = displayHash(own.txid)
        assert.deepStrictEqual(observed(layer, "BroadcastStarted"), [{ kind: "transaction", hash, peers: 2 }])
        yield* pass(layer, 60_000)
        assert.deepStrictEqual(observed(layer, "BroadcastCompleted"), [
          { kind: "transaction", hash, peers: 2, failed: 0 }
        ])

        const foreign = pooled(unconfirmedTransaction(2))
        callers[0]!.links[0]!.say({ command: "inv", inventory: [{ type: 1, hash: foreign.txid }] })
        yield* pass(layer, 500)
        chain.pool(foreign)
        chain.notify("transactionAdded", foreign, true)
        assert.strictEqual(observed(layer, "BroadcastStarted").length, 1)

        const fork = chain.tree.tip
        const tip = chain.extend(hollowBlock(fork))
        chain.notify("tip", tip, fork, false)
        yield* pass(layer, 500)
        const block = displayHash(tip.hash)
        assert.deepStrictEqual(observed(layer, "BroadcastStarted")[1], { kind: "block", hash: block, peers: 2 })
        assert.deepStrictEqual(observed(layer, "BroadcastCompleted")[1], {
          kind: "block",
          hash: block,
          peers: 2,
          failed: 0
        })
      })
  )

  it.effect(
    "of attacks: connections that say nothing, too many of one address, answers that are not read",
    () =>
      Effect.gen(function*() {
        const layer = yield* testLayer({ maximum: 31 })
        for (let i = 0; i < 60; i++) yield* caller(layer, endpoint(`20.1.${i}.1:1`), { isSilent: true })
        yield* pass(layer, 1_000)
        assert.strictEqual(observed(layer, "DoSAttackDetected").length, 1, "once a minute")
        assert.deepInclude(observed(layer, "DoSAttackDetected")[0], {
          kind: "connections without a handshake",
          severity: "high"
        })
        const often = yield* testLayer({ maximum: 300 })
        for (let i = 0; i < CONNECTION_LIMITS.inboundRate.most + 5; i++) yield* caller(often, endpoint("20.1.1.1:1"))
        yield* pass(often, 1_000)
        const { most } = CONNECTION_LIMITS.inboundRate
        assert.deepStrictEqual(
          observed(often, "RateLimitExceeded").map(({ current, limit, most: allowed }) => [limit, current, allowed]),
          [["connections", most + 1, most]]
        )
        const [peer] = [...often.service.peers.values()]
        // 30 kB each: 32 MB are reached long before the last.
        for (let i = 0; i < 5_000 && !peer!.isGone; i++) {
          peer!.send({
            command: "addr",
            addresses: Array.from({ length: 1_000 }, () => ({ ...endpoint("1.1.1.1:1"), services: 1n, time: 1 }))
          })
        }
        yield* pass(often, 200)
        assert.deepStrictEqual(observed(often, "DoSAttackDetected").map(({ kind, severity }) => [kind, severity]), [
          ["answers that are not read", "medium"]
        ])
      })
  )
})
