import { assert, describe, it } from "@effect/vitest"
import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"
import type { DisconnectReason } from "../../src/runtime/disconnect-reason.ts"
import type { DialFault, TraceEvent } from "../../src/runtime/trace.ts"

/** Each line as its level and category in a bracket before its text. */
const shown = (happening: TraceEvent, showsIps = false): ReadonlyArray<string> =>
  linesOfTraceEvent(happening, showsIps).map(({ category = "-", level, text }) => `[${category}:${level}] ${text}`)

type Fault = Extract<TraceEvent, { readonly _tag: "BadFrame" }>["fault"]
type Row = readonly [happening: TraceEvent, ...lines: ReadonlyArray<string>]

const peer = 7
const address = "192.0.2.1:7"
const [txid, wtxid] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]

const disconnecting = (reason: DisconnectReason): TraceEvent => ({ _tag: "Disconnecting", peer, address, reason })
const dial = (reason: string, fault?: DialFault, more: object = {}): TraceEvent => ({
  _tag: "DialFailed",
  address,
  reason,
  fault,
  isProxy: false,
  isManual: false,
  ...more
})

describe("what happens in detail, as a line of debug.log with its level and category", () => {
  it.each(([
    [{ _tag: "ConnectionAdded", peer, address }, "[net:debug] Added connection peer=7"],
    [{ _tag: "ConnectionDropped", why: "banned", address }, `[net:debug] connection from ${address} dropped (banned)`],
    [
      { _tag: "ConnectionDropped", why: "discouraged", address },
      `[net:debug] connection from ${address} dropped (discouraged)`
    ],
    [
      { _tag: "ConnectionDropped", why: "full", address },
      "[net:debug] failed to find an eviction candidate - connection dropped (full)"
    ],
    [{ _tag: "NetworkSwitched", isActive: false }, "[-:info] SetNetworkActive: false"],
    [{ _tag: "NetworkSwitched", isActive: true }, "[-:info] SetNetworkActive: true"],
    [{ _tag: "PingTimeout", peer, seconds: 1200.5 }, "[net:debug] ping timeout: 1200.500000s, disconnecting peer=7"],
    [
      { _tag: "UnknownFeature", peer, id: Uint8Array.of(0x61, 0x62) },
      "[net:debug] unknown feature advertised: ab"
    ],
    [
      { _tag: "Reconciliation", peer, isInbound: false, step: "agreed" },
      "[txreconciliation:debug] Register peer=7 (inbound=0)"
    ],
    [
      { _tag: "TransactionRefused", peer, txid, wtxid, reason: "dust" },
      `[mempoolrej:debug] ${"01".repeat(32)} (wtxid=${"02".repeat(32)}) from peer=7 was not accepted: dust`
    ],
    [
      { _tag: "DataRequested", peer, entries: 1, first: "tx 00" },
      "[net:debug] received getdata (1 invsz) peer=7",
      "[net:debug] received getdata for: tx 00 peer=7"
    ],
    [
      { _tag: "OrphanHopeless", txid, wtxid },
      `[mempool:debug] not keeping orphan with rejected parents ${"01".repeat(32)} (wtxid=${"02".repeat(32)})`
    ],
    [
      { _tag: "OrphansErased", count: 2 },
      "[txpackages:debug] Erased 2 orphan transaction(s) included or conflicted by block"
    ],
    [
      { _tag: "AddressFileMissing", path: "/data/peers.dat" },
      "[-:info] Creating peers.dat because the file was not found (\"/data/peers.dat\")"
    ],
    [{ _tag: "AddressFound", address }, `[addrman:debug] Added ${address} to new`],
    [{ _tag: "GetAddrRepeated", peer }, "[net:debug] Ignoring repeated \"getaddr\". peer=7"],
    [
      { _tag: "HeadersRequested", peer, height: 5, startHeight: 9 },
      "[net:debug] initial getheaders (5) to peer=7 (startheight:9)"
    ],
    [{ _tag: "LowWorkChainIgnored", peer, height: 5 }, "[net:debug] Ignoring low-work chain (height=5) from peer=7"],
    [{ _tag: "HeadersStored", height: 5, progress: 1 }, "[-:info] Synchronizing blockheaders, height: 5 (~1.00%)"],
    [{ _tag: "HeadersTimeout", peer, isKept: false }, "[-:info] Timeout downloading headers, disconnecting peer=7"],
    [
      { _tag: "StallTimeoutChanged", seconds: 4, isLonger: true },
      "[net:debug] Increased stalling timeout temporarily to 4 seconds"
    ],
    [
      { _tag: "StallTimeoutChanged", seconds: 2, isLonger: false },
      "[net:debug] Decreased stalling timeout to 2 seconds"
    ],
    [
      { _tag: "I2pSessionCreated", kind: "transient", id: "ab", router: "127.0.0.1:7656" },
      "[i2p:debug] Creating transient I2P SAM session ab with 127.0.0.1:7656"
    ],
    [{ _tag: "BanListCreated" }, "[-:info] Recreating the banlist database"],
    [
      { _tag: "RpcCall", method: "get<\n>x", user: "__cookie__", id: "a\"b" },
      "[rpc:debug] ThreadRPCServer method=getx user=__cookie__ id=ab"
    ]
  ] as ReadonlyArray<Row>).map(([happening, ...lines]) => [happening, lines] as const))("%j", (happening, lines) => {
    assert.deepStrictEqual(shown(happening), lines)
  })

  it.each<readonly [Fault, string]>([
    [
      { _tag: "BadCommand", field: Uint8Array.from(Buffer.from("ping\u0000x", "latin1")), length: 3 } as Fault,
      "Header error: Invalid message type (ping\u0000x, 3 bytes)"
    ],
    [{ _tag: "AnswersInV1" } as Fault, "V2 transport error: the peer answers with a v1 message"],
    [{ _tag: "NoTerminator" } as Fault, "V2 transport error: missing garbage terminator"],
    [{ _tag: "PacketTooLarge", length: 5 } as Fault, "V2 transport error: packet too large (5 bytes)"],
    [{ _tag: "NotAuthentic", length: 6 } as Fault, "V2 transport error: packet decryption failure (6 bytes)"],
    [{ _tag: "BadMessageType", length: 7 } as Fault, "V2 transport error: invalid message type (7 bytes contents)"],
    [{ _tag: "BadLength", length: 8 } as Fault, "QUIC transport error: invalid message length (8 bytes)"],
    [{ _tag: "OtherLength", length: 9 } as Fault, "QUIC transport error: invalid message length (9 bytes)"]
  ])("a frame with the fault %j", (fault, text) => {
    assert.deepStrictEqual(shown({ _tag: "BadFrame", peer, fault }), [`[net:debug] ${text}, peer=7`])
  })

  it("a first magic that is false is an error of the v1 transport where it is not said to be the first", () => {
    const fault = { _tag: "BadMagic", expected: new Uint8Array(4), found: Uint8Array.of(1, 2, 3, 0xff) } as const
    assert.deepStrictEqual(shown({ _tag: "BadFrame", peer, fault: { ...fault, isFirst: false } }), [
      "[net:debug] Header error: Wrong MessageStart 010203ff received, peer=7"
    ])
  })

  it("a peer goes in Bitcoin Core's words, with its address where addresses are shown", () => {
    assert.deepStrictEqual(shown(disconnecting({ _tag: "BlockStalling" })), [
      "[net:debug] Peer is stalling block download, disconnecting peer=7"
    ])
    assert.deepStrictEqual(shown(disconnecting({ _tag: "BlockStalling" }), true), [
      `[net:debug] Peer is stalling block download, disconnecting peer=7, peeraddr=${address}`
    ])
  })

  it("a connection to this node itself is always shown, with its place", () => {
    assert.deepStrictEqual(shown(disconnecting({ _tag: "ConnectedToSelf" })), [
      `[-:info] connected to self at ${address}, disconnecting`
    ])
  })

  it("an attempt to connect through a proxy fails in the words of the proxy", () => {
    const refused: DialFault = { _tag: "ProxyRefused", answer: "host unreachable" }
    assert.deepStrictEqual(shown(dial("refused", refused, { isManual: true, isProxy: true })), [
      `[proxy:debug] Socks5() connect to ${address} failed: host unreachable`
    ])
    assert.deepStrictEqual(shown(dial("late", { _tag: "NoAnswer" }, { isProxy: true })), [
      `[-:info] connection attempt to ${address} timed out`
    ])
    assert.deepStrictEqual(
      shown(dial("unreached", { _tag: "ProxyUnreached", proxy: "127.0.0.1:9050", why: "refused" })),
      ["[-:info] connect() to 127.0.0.1:9050 failed after wait: refused"]
    )
    assert.deepStrictEqual(shown(dial("no answer within 5 s")), [
      `[net:debug] connect() to ${address} failed after wait: no answer within 5 s`
    ])
  })

  it("misbehavior is shown without the address of the peer unless addresses are shown", () => {
    const happening = {
      _tag: "Misbehaving",
      peer,
      address,
      what: {
        _tag: "BadPayload",
        command: "addrv2",
        fault: { _tag: "TooMany", what: "addresses", count: 1_001, most: 1_000 }
      },
      isOnion: false,
      punishment: "discouraged"
    } as const
    assert.deepStrictEqual(shown(happening), [
      "[net:debug] Misbehaving: peer=7: addrv2 message size = 1001",
      "[net:debug] Disconnecting and discouraging peer 7!"
    ])
    assert.deepStrictEqual(
      shown(happening, true)[0],
      `[net:debug] Misbehaving: peer=7, peeraddr=${address}: addrv2 message size = 1001`
    )
    assert.deepStrictEqual(
      shown({ ...happening, punishment: "kept as noban" })[1],
      "[-:warning] Not punishing noban peer 7!"
    )
    assert.deepStrictEqual(
      shown({ ...happening, punishment: "kept as manual" })[1],
      "[-:warning] Not punishing manually connected peer 7!"
    )
  })
})
