import { assert, describe, it } from "@effect/vitest"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import type { NodeConfig, PeersConfig, StandIn } from "../../src/config/config.ts"
import { loadConfig } from "../../src/config/load-config.ts"
import { parseAddress } from "../../src/net/endpoint-text.ts"
import { optionsOf } from "../../src/p2p/layer/configured-options.ts"
import { resolveNothing, systemResolve } from "../../src/p2p/connections/system-resolve.ts"
import { seededRandom } from "../../src/p2p/basics/seeded-random.ts"
import { version } from "../../src/version.ts"
import type { Peer } from "../../src/p2p/peer/peer.ts"
import { inPlace } from "../config/loading.ts"

const address = (text: string): NetworkAddress => parseAddress(text)!
const endpoint = (text: string, port: number) => ({ address: address(text), port })

const STAND_IN = {
  changes: {},
  grants: [],
  externalAddresses: [],
  userAgent: "/Satoshi:1/",
  banSeconds: 77,
  isNetworkActive: false,
  peerTimeoutSeconds: 9,
  network: {
    seedNodes: ["c"],
    connectTimeout: 1_000,
    looksUpNames: false,
    reconciles: true,
    asksSeeds: false,
    forcesSeeds: true
  }
} as unknown as StandIn

/** What the network layer is given where this differs from a configuration without a word. */
const options = (
  peers: Partial<PeersConfig> = {},
  { download, ...more }: Partial<Omit<NodeConfig, "download">> & {
    readonly download?: Partial<NodeConfig["download"]>
  } = {}
) =>
  Effect.gen(function*() {
    const { config } = yield* inPlace((place) => loadConfig(place.request()))
    return yield* optionsOf({
      ...config,
      ...more,
      download: { ...config.download, ...download },
      peers: { ...config.peers, ...peers }
    }, seededRandom(1))
  })

describe("what the configuration gives the network layer", () => {
  it.effect("where it listens: the address first, then further ones; nowhere where it does not", () =>
    Effect.gen(function*() {
      const listening = yield* options({
        isListening: true,
        isListenGiven: false,
        listen: { host: "localhost", port: 18_444 },
        moreListen: [{ host: "127.0.0.2", port: 18_445 }]
      })
      assert.deepStrictEqual(listening.listen, endpoint("127.0.0.1", 18_444))
      assert.deepStrictEqual(listening.alsoListen, [endpoint("127.0.0.2", 18_445)])
      assert.isTrue(listening.mustListen)
      const none = yield* options({ isListening: false, isListenGiven: false, moreListen: [] })
      assert.deepStrictEqual([none.listen, none.alsoListen, none.mustListen], [undefined, [], false])
      assert.isTrue((yield* options({ isListenGiven: true, moreListen: [] })).mustListen)
    }))

  it.effect("fails with the key's name where an address is a name", () =>
    Effect.gen(function*() {
      const place = { host: "example.org", port: 1 }
      const messageOf = (peers: Partial<PeersConfig>) =>
        Effect.map(Effect.flip(options(peers)), ({ message }) => message)
      const advice = "example.org is a name; give an address, such as 127.0.0.1"
      assert.strictEqual(yield* messageOf({ isListening: true, listen: place }), `listen_addr: ${advice}`)
      assert.strictEqual(yield* messageOf({ moreListen: [place] }), `more_listen_addrs: ${advice}`)
      assert.strictEqual(yield* messageOf({ proxy: place }), `proxy: ${advice}`)
      assert.strictEqual(yield* messageOf({ onionProxy: place }), `proxy: ${advice}`)
    }))

  it.effect("which networks are reached, and through which proxy", () =>
    Effect.gen(function*() {
      const proxy = { host: "127.0.0.1", port: 9_050 }
      const onionProxy = { host: "127.0.0.1", port: 9_150 }
      const shown = (peers: Partial<PeersConfig>) =>
        Effect.map(options(peers), ({ namesToProxy, reach, reachable, resolve }) => ({
          names: [namesToProxy, resolve === resolveNothing, resolve === systemResolve],
          reachable: [...reachable],
          reach: reach().map(({ isIsolated, isReachable, name, proxy: through }) =>
            `${name} ${isReachable} ${through} ${isIsolated}`
          )
        }))
      assert.deepStrictEqual(yield* shown({ isolateStreams: true }), {
        names: [false, false, true],
        reachable: ["ipv4", "ipv6"],
        reach: ["ipv4 true  false", "ipv6 true  false", "onion false  false", "i2p false  false", "cjdns false  false"]
      })
      assert.deepStrictEqual(yield* shown({ proxy, isolateStreams: true }), {
        names: [true, true, false],
        reachable: ["ipv4", "ipv6", "onion"],
        reach: [
          "ipv4 true 127.0.0.1:9050 true",
          "ipv6 true 127.0.0.1:9050 true",
          "onion true 127.0.0.1:9050 true",
          "i2p false  false",
          "cjdns false 127.0.0.1:9050 true"
        ]
      })
      assert.deepStrictEqual(yield* shown({ onionProxy, isolateStreams: false }), {
        names: [false, false, true],
        reachable: ["ipv4", "ipv6", "onion"],
        reach: [
          "ipv4 true  false",
          "ipv6 true  false",
          "onion true 127.0.0.1:9150 false",
          "i2p false  false",
          "cjdns false  false"
        ]
      })
      assert.deepStrictEqual((yield* shown({ proxy, onionProxy, isolateStreams: false })).reach.slice(0, 3), [
        "ipv4 true 127.0.0.1:9050 false",
        "ipv6 true 127.0.0.1:9050 false",
        "onion true 127.0.0.1:9150 false"
      ])
      const socket = { path: "/run/tor" }
      assert.deepStrictEqual(
        (yield* shown({ proxy: socket, isolateStreams: true })).reach[2],
        "onion true unix:/run/tor true"
      )
      assert.deepStrictEqual((yield* shown({ proxy, onlyNetworks: ["onion"] })).reachable, ["onion"])
      assert.deepStrictEqual([...(yield* options({ onlyNetworks: ["ipv6"] })).reachable], ["ipv6"])
      const router = { at: { host: "127.0.0.1", port: 7_656 }, acceptsIncoming: true }
      const { reach, reachable } = yield* options({ hasCjdns: true, i2p: router })
      assert.includeMembers([...reachable], ["i2p", "cjdns"])
      assert.deepInclude(reach(), { name: "i2p", isReachable: true, proxy: "127.0.0.1:7656", isIsolated: false })
    }))

  it.effect("which addresses of its own are advertised: those an operator named first, if any is", () =>
    Effect.gen(function*() {
      const listening = [endpoint("8.8.8.8", 8_333)]
      const open = yield* options({ isAdvertised: true })
      const own = open.ownAddresses([], listening)
      assert.deepStrictEqual(own, [{ ...listening[0]!, score: 4 }])
      const peer = { endpoint: endpoint("9.9.9.9", 1), network: undefined } as unknown as Peer
      assert.strictEqual(open.advertised(own, peer), own[0])
      assert.isUndefined((yield* options({ isAdvertised: false })).advertised(own, peer))
      assert.isUndefined((yield* options({ isAdvertised: true, isListening: false })).advertised(own, peer))
      const external = yield* options({}, { standIn: { ...STAND_IN, externalAddresses: [endpoint("9.9.9.9", 1)] } })
      assert.deepStrictEqual(external.ownAddresses([], listening), [{ ...endpoint("9.9.9.9", 1), score: 4 }, ...own])
      // Who chooses peers in one network only wants to be known there only.
      assert.deepStrictEqual((yield* options({ onlyNetworks: ["ipv6"] })).ownAddresses([], listening), [])
      assert.deepStrictEqual((yield* options({ onlyNetworks: ["ipv4"] })).ownAddresses([], listening), own)
    }))

  it.effect("whom it trusts, and what inbound peers are permitted", () =>
    Effect.gen(function*() {
      const { permits, trusts } = yield* options({ trusted: ["10.0.0.0/8"], permissions: ["forcerelay@10.1.0.0/16"] })
      assert.deepStrictEqual(["10.2.3.4", "11.2.3.4"].map((text) => trusts!(address(text))), [true, false])
      const granted = (text: string) =>
        permits!({ address: address(text), local: undefined, inbound: true }).has("forcerelay")
      assert.deepStrictEqual(["10.1.3.4", "10.2.3.4"].map(granted), [true, false])
    }))

  it.effect("how the first nodes are found, and which it stays connected to", () =>
    Effect.gen(function*() {
      const network = "mainnet"
      const all = yield* options({ dnsSeeds: true, fixedSeeds: true }, { network })
      assert.isAbove(all.seeding.names.length, 3)
      assert.isAbove(all.seeding.built!.length, 10)
      const none = yield* options({ dnsSeeds: false, fixedSeeds: false }, { network })
      assert.deepStrictEqual(none.seeding, { names: [], built: undefined, nodes: [], isForced: false })
      const standing = yield* options({ dnsSeeds: true, fixedSeeds: false }, { network, standIn: STAND_IN })
      assert.deepStrictEqual(standing.seeding, { names: [], built: undefined, nodes: ["c"], isForced: true })
      assert.deepStrictEqual([all.looksUpNames, standing.looksUpNames], [undefined, false])
      assert.deepStrictEqual([all.reconciles, standing.reconciles], [undefined, true])
      const { isAutomatic, persistent } = yield* options({ persistent: ["a"], isOnlyPersistent: true }, {
        download: { peers: ["b"] }
      })
      assert.deepStrictEqual([persistent, isAutomatic], [["a", "b"], false])
      assert.isTrue((yield* options({ isOnlyPersistent: false })).isAutomatic)
    }))

  it.effect("what it is called, how long it waits, and what it wants and serves", () =>
    Effect.gen(function*() {
      const plain = yield* options({ handshakeSeconds: 7, isBlocksOnly: false })
      assert.deepStrictEqual([plain.userAgent, plain.peerTimeout, plain.banSeconds, plain.isActive], [
        `/Lockstep:${version()}/`,
        7_000,
        undefined,
        undefined
      ])
      const asCore = yield* options({ userAgent: "satoshi" })
      assert.strictEqual(asCore.userAgent, `/Satoshi:31.99.0/Lockstep:${version()}/`)
      assert.isTrue(plain.wantsTransactions)
      assert.isFalse((yield* options({ isBlocksOnly: true })).wantsTransactions)
      const standing = yield* options({ handshakeSeconds: 7 }, { standIn: STAND_IN })
      assert.deepStrictEqual([standing.userAgent, standing.peerTimeout, standing.banSeconds, standing.isActive], [
        "/Satoshi:1/",
        9_000,
        77,
        false
      ])
      const { servesBlockFilters, servesBloomFilters, slots, uploadTarget } = yield* options({
        servesBlockFilters: true,
        servesBloomFilters: false,
        uploadTarget: 5,
        maximum: 125,
        target: undefined
      })
      assert.deepStrictEqual([servesBlockFilters, servesBloomFilters, uploadTarget], [true, false, 5])
      assert.deepStrictEqual(slots, { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 114 })
      // As in Bitcoin Core with -connect=0, which fills none of the outbound slots and keeps them.
      const manual = yield* options({ isOnlyPersistent: true, maximum: 32, target: undefined })
      assert.deepStrictEqual([manual.isAutomatic, manual.slots.inbound], [false, 21])
    }))
})
