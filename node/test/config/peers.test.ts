import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace, option, problemsOf } from "./loading.ts"

const TCP = "transport_preference = \"tcponly\"\n"

const peersWith = (text: string, ...options: ReadonlyArray<ReturnType<typeof option>>) =>
  inPlace((place) =>
    Effect.gen(function*() {
      place.write("work/node.toml", `${TCP}${text}\n`)
      return (yield* loadConfig({ ...place.request(), options })).config.peers
    })
  )

describe("how other nodes are reached", () => {
  it.effect("what a network without seeds does", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* peersWith(""), {
        listen: { host: "0.0.0.0", port: 18_444 },
        isListening: true,
        isListenGiven: false,
        moreListen: [],
        onionListen: [],
        torControl: undefined,
        i2p: undefined,
        hasCjdns: false,
        trusted: [],
        permissions: [],
        handshakeSeconds: 60,
        userAgent: "lockstep",
        asmap: undefined,
        servesBlockFilters: false,
        servesBloomFilters: false,
        relaysPackages: false,
        broadcastsPrivately: false,
        dandelion: undefined,
        uploadTarget: 0,
        maximum: 100,
        target: undefined,
        persistent: [],
        isOnlyPersistent: false,
        choosesUdpPeers: true,
        quic: undefined,
        iroh: undefined,
        isAdvertised: false,
        proxy: undefined,
        onionProxy: undefined,
        isolateStreams: true,
        onlyNetworks: [],
        isV2: true,
        isBlocksOnly: false,
        dnsSeeds: false,
        fixedSeeds: true
      })
    }))

  it.effect("seeds are queried on public networks, unless the operator names the nodes to connect to", () =>
    Effect.gen(function*() {
      const main = "protocol_version = \"BitcoinV1\""
      const { dnsSeeds, fixedSeeds } = yield* peersWith(main)
      assert.deepStrictEqual([dnsSeeds, fixedSeeds], [true, true])
      const only = yield* peersWith(`${main}\n[connections]\nonly_persistent_peers = true`)
      assert.deepStrictEqual([only.dnsSeeds, only.fixedSeeds, only.isOnlyPersistent], [false, false, true])
      const off = yield* peersWith(`${main}\n[connections]\ndns_seeds = false\nfixed_seeds = false`)
      assert.deepStrictEqual([off.dnsSeeds, off.fixedSeeds], [false, false])
    }))

  it.effect("everything that can be set", () =>
    Effect.gen(function*() {
      const text = [
        "max_peers = 20",
        "listen_addr = \"127.0.0.1:1\"",
        "enable_self_advertisement = true",
        "persistent_peers = [\"192.0.2.1\"]",
        "[connections]",
        "listen = false",
        "more_listen_addrs = [\"[::]:1\"]",
        "trusted_peers = [\"192.168.1.0/24\", \"2001:db8::1\"]",
        "upload_target_mb = 5",
        "proxy = \"127.0.0.1:9050\"",
        "onion_proxy = \"[::1]:9150\"",
        "isolate_streams = false",
        "onlynet = [\"onion\", \"ipv6\"]",
        "blocks_only = true",
        "v2_transport = false"
      ].join("\n")
      const peers = yield* peersWith(text, option("target-peer-count", "target_peer_count", "4"))
      assert.deepStrictEqual(peers, {
        listen: { host: "127.0.0.1", port: 1 },
        isListening: false,
        isListenGiven: true,
        moreListen: [{ host: "::", port: 1 }],
        onionListen: [],
        torControl: undefined,
        i2p: undefined,
        hasCjdns: false,
        trusted: ["192.168.1.0/24", "2001:db8::1"],
        permissions: [],
        handshakeSeconds: 60,
        userAgent: "lockstep",
        asmap: undefined,
        servesBlockFilters: false,
        servesBloomFilters: false,
        relaysPackages: false,
        broadcastsPrivately: false,
        dandelion: undefined,
        uploadTarget: 5_242_880,
        maximum: 20,
        target: 4,
        persistent: ["192.0.2.1"],
        isOnlyPersistent: false,
        choosesUdpPeers: true,
        quic: undefined,
        iroh: undefined,
        isAdvertised: true,
        proxy: { host: "127.0.0.1", port: 9_050 },
        onionProxy: { host: "::1", port: 9_150 },
        isolateStreams: false,
        onlyNetworks: ["onion", "ipv6"],
        isV2: false,
        isBlocksOnly: true,
        dnsSeeds: false,
        fixedSeeds: true
      })
    }))

  it.effect("QUIC listens where TCP does unless it has an address of its own, and alone it finds no peers", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const load = (text: string) => {
          place.write("work/node.toml", text)
          return Effect.map(loadConfig(place.request()), ({ config: { peers } }) => peers)
        }
        const both = yield* load("transport_preference = \"hybrid\"\nlisten_addr = \"127.0.0.1:7\"\n")
        assert.deepStrictEqual(both.quic, { listen: { host: "127.0.0.1", port: 7 }, isOnly: false })
        assert.isFalse(both.isOnlyPersistent)
        const alone = yield* load(
          "transport_preference = \"quinnonly\"\n[connections]\nquic_listen_addr = \"127.0.0.1:8\"\n"
        )
        assert.deepStrictEqual(alone.quic, { listen: { host: "127.0.0.1", port: 8 }, isOnly: true })
        assert.deepStrictEqual([alone.isOnlyPersistent, alone.fixedSeeds], [true, false])
      })
    ))

  it.effect("each of the five preferences allows its transports, and Iroh listens behind the port of QUIC", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const load = (preference: string, more = "") => {
          place.write("work/node.toml", `transport_preference = "${preference}"\nlisten_addr = "127.0.0.1:7"\n${more}`)
          return Effect.map(loadConfig(place.request()), ({ config: { peers } }) => peers)
        }
        const ways: Array<readonly [string, boolean | undefined, boolean | undefined, boolean]> = []
        for (const preference of ["tcponly", "hybrid", "quinnonly", "irohonly", "all"]) {
          const { iroh, isOnlyPersistent, quic } = yield* load(preference)
          ways.push([preference, quic?.isOnly, iroh?.isOnly, isOnlyPersistent])
        }
        assert.deepStrictEqual(ways, [
          ["tcponly", undefined, undefined, false],
          ["hybrid", false, undefined, false],
          ["quinnonly", true, undefined, true],
          ["irohonly", undefined, true, true],
          ["all", false, false, false]
        ])
        assert.deepStrictEqual((yield* load("all")).iroh, { listen: { host: "127.0.0.1", port: 8 }, isOnly: false })
        const given = yield* load("irohonly", "[connections]\niroh_listen_addr = \"127.0.0.1:99\"\n")
        assert.deepStrictEqual(given.iroh, { listen: { host: "127.0.0.1", port: 99 }, isOnly: true })
      })
    ))

  it.effect("QUIC beside a proxy, and addresses of QUIC without QUIC, are contradictions", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const identity = `12D3KooW${"1".repeat(44)}`
        for (
          const [preference, text, problem] of [
            ["hybrid", "[connections]\nproxy = \"127.0.0.1:1\"", "passes no SOCKS5 proxy"],
            ["tcponly", "[connections]\nquic_listen_addr = \"127.0.0.1:1\"", "quic_listen_addr needs QUIC"],
            ["tcponly", "persistent_peers = [\"quic://192.0.2.1:1\"]", "persistent_peers names a node"],
            ["hybrid", `persistent_peers = ["quic://${identity}@192.0.2.1:1"]`, "the address or name of a node"],
            ["irohonly", "[connections]\nproxy = \"127.0.0.1:1\"", "allows Iroh, which passes no SOCKS5 proxy"],
            ["all", "[connections]\nonion_proxy = \"127.0.0.1:1\"", "allows QUIC and Iroh, which passes no"],
            ["hybrid", "[connections]\niroh_listen_addr = \"127.0.0.1:1\"", "iroh_listen_addr needs Iroh"],
            ["hybrid", `persistent_peers = ["iroh://${"a".repeat(64)}@192.0.2.1:1"]`, "is reached over Iroh"],
            ["all", "persistent_peers = [\"iroh://192.0.2.1:1\"]", "the address or name of a node"],
            [
              "all",
              "[connections]\nquic_listen_addr = \"127.0.0.1:9\"\niroh_listen_addr = \"127.0.0.1:9\"",
              "is given twice, by [connections].quic_listen_addr and by [connections].iroh_listen_addr"
            ]
          ] as const
        ) {
          place.write("work/node.toml", `transport_preference = "${preference}"\n${text}\n`)
          assert.include((yield* problemsOf(place.request())).join(), problem)
        }
      })
    ))

  it.effect("NODE_LISTEN_ADDR, NODE_NODE_MAX_PEERS and NODE_NETWORK_TARGET_PEER_COUNT are stronger than the file", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        place.write("work/node.toml", `${TCP}listen_addr = "127.0.0.1:1"\nmax_peers = 20\n`)
        const environment = {
          NODE_LISTEN_ADDR: "[::]:7",
          NODE_NODE_MAX_PEERS: "30",
          NODE_NETWORK_TARGET_PEER_COUNT: "3"
        }
        const { config: { peers } } = yield* loadConfig(place.request({ environment }))
        assert.deepStrictEqual(peers.listen, { host: "::", port: 7 })
        assert.deepStrictEqual([peers.isListenGiven, peers.maximum, peers.target], [true, 30, 3])
      })
    ))

  it.effect("no name server is asked for addresses in networks that none knows", () =>
    Effect.gen(function*() {
      const main = "protocol_version = \"BitcoinV1\"\n[connections]\nproxy = \"127.0.0.1:9050\"\n"
      const asked = (line: string) =>
        Effect.map(peersWith(main + line), ({ dnsSeeds, fixedSeeds }) => [dnsSeeds, fixedSeeds])
      assert.deepStrictEqual(yield* asked("onlynet = [\"onion\"]"), [false, true])
      assert.deepStrictEqual(yield* asked("onlynet = [\"onion\", \"ipv4\"]"), [true, true])
      assert.deepStrictEqual(yield* asked("onlynet = [\"ipv6\"]\ndns_seeds = true"), [true, true])
      const { problems } = yield* Effect.flip(peersWith(`${main}onlynet = ["onion"]\ndns_seeds = true`))
      assert.include(problems.join(), "[connections].dns_seeds = true, but onlynet")
    }))

  it.effect("an onion service leads to a place of its own, and needs a node that listens, without QUIC", () =>
    Effect.gen(function*() {
      const control = "[connections]\ntor_control = \"127.0.0.1:9051\"\n"
      const at = { host: "127.0.0.1", port: 9_051 }
      const usual = yield* peersWith(`listen_addr = "0.0.0.0:8400"\n${control}onlynet = ["onion"]`)
      assert.deepStrictEqual(usual.torControl, { at, password: undefined })
      assert.deepStrictEqual(usual.onionListen, [{ host: "127.0.0.1", port: 8_401 }])
      const own = yield* peersWith(
        `listen_addr = "127.0.0.1:0"\n${control}tor_password = "x"\nonion_listen_addrs = ["127.0.0.1:7"]`
      )
      assert.deepStrictEqual(own.torControl, { at, password: "x" })
      assert.deepStrictEqual(own.onionListen, [{ host: "127.0.0.1", port: 7 }])
      const any = yield* peersWith(`listen_addr = "127.0.0.1:0"\n${control}`)
      assert.deepStrictEqual(any.onionListen, [{ host: "127.0.0.1", port: 0 }])
      const none = yield* peersWith("[connections]\nonion_listen_addrs = [\"127.0.0.1:7\"]")
      assert.isUndefined(none.torControl)
      for (
        const [text, problem] of [
          [`${control}listen = false`, "needs a node that listens"],
          ["[connections]\ntor_password = \"x\"", "tor_password is for Tor's control port"],
          ["[connections]\ntor_control = \"tor.example:9051\"", "[connections].tor_control: tor.example is a name"],
          [
            "[connections]\nonion_listen_addrs = [\"tor.example:1\"]",
            "[connections].onion_listen_addrs: tor.example is a name"
          ],
          [
            "listen_addr = \"127.0.0.1:7\"\n[connections]\nonion_listen_addrs = [\"127.0.0.1:8\"]\nmore_listen_addrs = [\"127.0.0.1:8\"]",
            "127.0.0.1:8 is given twice, by more_listen_addrs and by onion_listen_addrs"
          ]
        ] as const
      ) assert.include((yield* Effect.flip(peersWith(text))).problems.join(), problem)
      yield* inPlace((place) =>
        Effect.gen(function*() {
          place.write("work/node.toml", `transport_preference = "hybrid"\n${control}`)
          assert.include(
            (yield* problemsOf(place.request())).join(),
            "beside the onion service of [connections].tor_control"
          )
        })
      )
    }))

  it.effect("I2P needs a router, and CJDNS a machine that is in it", () =>
    Effect.gen(function*() {
      const router = "[connections]\ni2p_sam = \"127.0.0.1:7656\"\nonlynet = [\"i2p\"]\n"
      const at = { host: "127.0.0.1", port: 7_656 }
      assert.deepStrictEqual((yield* peersWith(router)).i2p, { at, acceptsIncoming: true })
      assert.deepStrictEqual((yield* peersWith(`${router}i2p_accept_incoming = false`)).i2p, {
        at,
        acceptsIncoming: false
      })
      const cjdns = yield* peersWith("[connections]\ncjdns_reachable = true\nonlynet = [\"cjdns\"]")
      assert.deepStrictEqual([cjdns.hasCjdns, cjdns.onlyNetworks, cjdns.dnsSeeds], [true, ["cjdns"], false])
      for (
        const [text, problem] of [
          ["onlynet = [\"i2p\"]", "set [connections].i2p_sam"],
          ["onlynet = [\"cjdns\"]", "set [connections].cjdns_reachable = true"],
          ["i2p_sam = \"router.example:7656\"", "[connections].i2p_sam: router.example is a name"]
        ] as const
      ) assert.include((yield* Effect.flip(peersWith(`[connections]\n${text}`))).problems.join(), problem)
    }))

  it.effect("onion alone needs a proxy", () =>
    Effect.gen(function*() {
      const { problems } = yield* Effect.flip(peersWith("[connections]\nonlynet = [\"ipv4\", \"onion\"]"))
      assert.include(problems.join(), "set [connections].onion_proxy, proxy or tor_control")
      for (const proxy of ["proxy", "onion_proxy"]) {
        const peers = yield* peersWith(`[connections]\nonlynet = ["onion"]\n${proxy} = "127.0.0.1:1"`)
        assert.deepStrictEqual(peers.onlyNetworks, ["onion"])
      }
      const unknown = yield* Effect.flip(peersWith("[connections]\nonlynet = [\"ipv4\", \"gnunet\"]"))
      assert.include(unknown.message, "\"i2p\" or \"cjdns\", found \"gnunet\" as member 2")
    }))

  it.effect("private broadcast needs Tor or I2P, and peers that the node chooses", () =>
    Effect.gen(function*() {
      const on = "[relay]\nprivate_broadcast = true\n[connections]\n"
      for (
        const way of [
          "proxy = \"127.0.0.1:1\"",
          "onion_proxy = \"127.0.0.1:1\"",
          "tor_control = \"127.0.0.1:1\"",
          "i2p_sam = \"127.0.0.1:1\""
        ]
      ) {
        assert.isTrue((yield* peersWith(`${on}${way}`)).broadcastsPrivately, way)
      }
      for (
        const none of [
          "",
          "i2p_sam = \"127.0.0.1:1\"\nonlynet = [\"ipv4\"]",
          "proxy = \"127.0.0.1:1\"\nonlynet = [\"ipv4\"]"
        ]
      ) {
        const { problems } = yield* Effect.flip(peersWith(`${on}${none}`))
        assert.include(problems.join(), "[relay].private_broadcast needs Tor or I2P")
      }
      const { problems } = yield* Effect.flip(
        peersWith(`${on}onion_proxy = "127.0.0.1:1"\nonly_persistent_peers = true`)
      )
      assert.include(problems.join(), "randomly chosen peers")
    }))

  it.effect("what is no subnet, no place and no amount is named", () =>
    Effect.gen(function*() {
      for (
        const line of [
          "trusted_peers = [\"192.168.1.0/33\"]",
          "more_listen_addrs = [\"[::]\"]",
          "upload_target_mb = -1"
        ]
      ) {
        const { problems } = yield* Effect.flip(peersWith(`[connections]\n${line}`))
        assert.include(problems.join("\n"), line.split(" ")[0]!)
      }
    }))
})
