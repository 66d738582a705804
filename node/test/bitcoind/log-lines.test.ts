import { assert, describe, it } from "@effect/vitest"
import { PARENT_MISSING, type Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import { decodeBlock } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"
import { linesOfNotification, UPDATE_TIP } from "../../src/bitcoind/log/lines-of-notifications.ts"
import type { Refused } from "../../src/engine/api/engine-notification.ts"
import { oddPong } from "../../src/p2p/peer/session/ping-pong.ts"

describe("the lines of a template", () => {
  it("have the fee rate of each transaction as Bitcoin Core writes it, rounded down", () => {
    const of = (modifiedFee: bigint, virtualSize: number) =>
      linesOfNotification({
        _tag: "Selected",
        transactions: [{ txid: Uint8Array.from({ length: 32 }, (_, i) => i), modifiedFee, virtualSize }]
      }).map(({ text: line }) => line.replace(/ txid .*/, ""))
    assert.deepStrictEqual(
      [of(1_000n, 200), of(250_000_001n, 1_000), of(1n, 3_000), of(-1n, 300), of(-250_000_000n, 1_000)].flat(),
      [
        "fee rate 0.00005000 BTC/kvB",
        "fee rate 2.50000001 BTC/kvB",
        "fee rate 0.00000000 BTC/kvB",
        "fee rate 0.-0000004 BTC/kvB",
        "fee rate -2.-50000000 BTC/kvB"
      ]
    )
    assert.deepStrictEqual(
      linesOfNotification({
        _tag: "Selected",
        transactions: [{ txid: new Uint8Array(32), modifiedFee: 0n, virtualSize: 1 }]
      }),
      [{ level: "info", text: `fee rate 0.00000000 BTC/kvB txid ${"00".repeat(32)}` }]
    )
  })
})

describe("lines for what happens", () => {
  const said = (happening: Parameters<typeof linesOfTraceEvent>[0], showsIps = false): ReadonlyArray<string> =>
    linesOfTraceEvent(happening, showsIps).map((line) => line.text)

  it("name peers by their ids", () => {
    assert.deepStrictEqual(said({ _tag: "Received", peer: 3, command: "ping", bytes: 8 }), [
      "received: ping (8 bytes) peer=3"
    ])
    assert.deepStrictEqual(said({ _tag: "Sent", peer: 3, command: "pong", bytes: 8 }), [
      "sending pong (8 bytes) peer=3"
    ])
    const gone = {
      _tag: "Disconnecting",
      peer: 5,
      address: "192.0.2.1:7",
      reason: { _tag: "ObsoleteVersion", version: 31_799 }
    } as const
    assert.deepStrictEqual(said(gone), ["peer using obsolete version 31799, disconnecting peer=5"])
    assert.deepStrictEqual(said({ _tag: "ConnectionGone", peer: 5 }), ["Cleared nodestate for peer=5"])
    assert.strictEqual(
      said({ ...gone, reason: { _tag: "BlockBelowLimit" } })[0],
      "Ignore block request below NODE_NETWORK_LIMITED threshold, disconnecting peer=5"
    )
    assert.include(said(gone, true)[0], "disconnecting peer=5, peeraddr=192.0.2.1:7")
  })

  it("say what a peer requests", () => {
    assert.deepStrictEqual(said({ _tag: "DataRequested", peer: 3, entries: 0 }), ["received getdata (0 invsz) peer=3"])
    assert.deepStrictEqual(said({ _tag: "DataRequested", peer: 3, entries: 2, first: "wtx 00ff" }), [
      "received getdata (2 invsz) peer=3",
      "received getdata for: wtx 00ff peer=3"
    ])
  })

  it("say what is odd about a pong", () => {
    const pinging = (nonce: bigint | undefined) => ({ nonce, sentAt: 0, isAsked: false })
    const payload = (nonce: bigint): Uint8Array => {
      const bytes = new Uint8Array(8)
      new DataView(bytes.buffer).setBigUint64(0, nonce, true)
      return bytes
    }
    const of = (nonce: bigint | undefined, bytes: Uint8Array): string => {
      const pong = oddPong(pinging(nonce), bytes)
      return pong === undefined ? "" : said({ _tag: "OddPong", peer: 0, pong })[0]!
    }
    assert.strictEqual(
      of(undefined, payload(0n)),
      "pong peer=0: Unsolicited pong without ping, 0 expected, 0 received, 8 bytes"
    )
    assert.strictEqual(of(15n, payload(16n)), "pong peer=0: Nonce mismatch, f expected, 10 received, 8 bytes")
    assert.strictEqual(of(15n, payload(0n)), "pong peer=0: Nonce zero, f expected, 0 received, 8 bytes")
    assert.strictEqual(of(15n, new Uint8Array(3)), "pong peer=0: Short payload, f expected, 0 received, 3 bytes")
    assert.strictEqual(of(15n, payload(15n)), "")
  })

  it("say what is wrong with a frame", () => {
    const frame = (fault: Extract<Parameters<typeof linesOfTraceEvent>[0], { _tag: "BadFrame" }>["fault"]) =>
      said({ _tag: "BadFrame", peer: 1, fault })[0]
    assert.strictEqual(
      frame({ _tag: "BadMagic", expected: new Uint8Array(4), found: new Uint8Array(4).fill(10), isFirst: true }),
      "V2 transport error: V1 peer with wrong MessageStart 0a0a0a0a, peer=1"
    )
    assert.strictEqual(
      frame({ _tag: "BadMagic", expected: new Uint8Array(4), found: new Uint8Array(4).fill(255) }),
      "Header error: Wrong MessageStart ffffffff received, peer=1"
    )
    assert.strictEqual(
      frame({ _tag: "TooLarge", command: "badmsg", length: 4_000_001, most: 4_000_000 }),
      "Header error: Size too large (badmsg, 4000001 bytes), peer=1"
    )
    assert.strictEqual(
      frame({
        _tag: "BadChecksum",
        command: "badmsg",
        length: 2,
        declared: new Uint8Array(4),
        computed: new Uint8Array(4).fill(1)
      }),
      "Header error: Wrong checksum (badmsg, 2 bytes), expected 01010101 was 00000000, peer=1"
    )
  })

  it("say what is wrong with a payload, and which peer sent too much", () => {
    const payload = (fault: Extract<Parameters<typeof linesOfTraceEvent>[0], { _tag: "BadPayload" }>["fault"]) =>
      said({ _tag: "BadPayload", peer: 1, command: "addrv2", bytes: 525, fault })
    assert.deepStrictEqual(payload({ _tag: "TooLong", what: "address", length: 513, most: 512 }), [
      "ProcessMessages(addrv2, 525 bytes): Exception 'Address too long: 513 > 512' caught"
    ])
    assert.include(payload({ _tag: "Malformed", rule: "SER-003", offset: 0 })[0], "end of data")
    const tooMany = { _tag: "TooMany", what: "addresses", count: 1_010, most: 1_000 } as const
    assert.deepStrictEqual(payload(tooMany), [])
    const what = { _tag: "BadPayload", command: "addrv2", fault: tooMany } as const
    const misbehaving = { _tag: "Misbehaving", peer: 1, address: "192.0.2.1:7", what, isOnion: false } as const
    assert.strictEqual(
      said({ ...misbehaving, punishment: "discouraged" })[0],
      "Misbehaving: peer=1: addrv2 message size = 1010"
    )
  })

  it("say why a transaction of a peer was not taken, and why orphans went", () => {
    const [txid, wtxid] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    assert.deepStrictEqual(said({ _tag: "TransactionRefused", peer: 4, txid, wtxid, reason: "dust" }), [
      `${"01".repeat(32)} (wtxid=${"02".repeat(32)}) from peer=4 was not accepted: dust`
    ])
    assert.deepStrictEqual(said({ _tag: "OrphanHopeless", txid, wtxid }), [
      `not keeping orphan with rejected parents ${"01".repeat(32)} (wtxid=${"02".repeat(32)})`
    ])
    assert.deepStrictEqual(said({ _tag: "OrphansErased", count: 3 }), [
      "Erased 3 orphan transaction(s) included or conflicted by block"
    ])
  })

  it("say why a block or a header was not taken", () => {
    const hash = new Uint8Array(32).fill(7)
    const name = "07".repeat(32)
    const refused = (why: Refused) => linesOfNotification({ _tag: "Refused", hash, why }).map((line) => line.text)
    const old = { reason: "bad-version(0x00000003)", class: "invalid header", rule: "HDR-005" } as const
    assert.deepStrictEqual(refused({ what: "header", rejection: old }), [
      `AcceptBlockHeader: Consensus::ContextualCheckBlockHeader: ${name}, bad-version(0x00000003)`
    ])
    assert.deepStrictEqual(refused({ what: "block", rejection: old }), [
      `AcceptBlockHeader: Consensus::ContextualCheckBlockHeader: ${name}, bad-version(0x00000003)`,
      "ProcessNewBlock: AcceptBlock FAILED (bad-version(0x00000003))"
    ])
    const mutated = { reason: "bad-txnmrklroot", class: "mutated", rule: "BLK-002", debug: "hashMerkleRoot mismatch" }
    assert.deepStrictEqual(refused({ what: "block", rejection: mutated as Rejection }), [
      "Block mutated: bad-txnmrklroot, hashMerkleRoot mismatch"
    ])
    const large = { reason: "bad-blk-length", class: "invalid", rule: "BLK-004" } as const
    assert.deepStrictEqual(refused({ what: "block", rejection: large }), [
      "AcceptBlock: bad-blk-length",
      "ProcessNewBlock: AcceptBlock FAILED (bad-blk-length)"
    ])
    assert.include(
      refused({ what: "block", rejection: PARENT_MISSING }).at(-1),
      "AcceptBlock FAILED (prev-blk-not-found)"
    )
    const fault = decodeBlock(Uint8Array.of(...new Uint8Array(80), 0xfd, 1, 0))
    assert(Result.isFailure(fault))
    assert.deepStrictEqual(refused({ what: "bytes", bytes: 83, fault: fault.failure }), [
      "ProcessMessages(block, 83 bytes): Exception 'non-canonical ReadCompactSize() or ReadCompactSize(): size too large' caught"
    ])
    assert.deepStrictEqual(refused({ what: "too little work" }), [
      `AcceptBlockHeader: not adding new block header ${name}, missing anti-dos proof-of-work validation`
    ])
  })

  it("say how the headers come", () => {
    assert.deepStrictEqual(said({ _tag: "HeadersRequested", peer: 0, height: 0, startHeight: -1 }), [
      "initial getheaders (0) to peer=0 (startheight:-1)"
    ])
    assert.deepStrictEqual(said({ _tag: "HeadersStored", height: 2_000, progress: 12.345 }), [
      "Synchronizing blockheaders, height: 2000 (~12.35%)"
    ])
    assert.deepStrictEqual(said({ _tag: "LowWorkChainIgnored", peer: 1, height: 14 }), [
      "Ignoring low-work chain (height=14) from peer=1"
    ])
    assert.deepStrictEqual(
      [false, true].flatMap((isKept) => said({ _tag: "HeadersTimeout", peer: 0, isKept })),
      [
        "Timeout downloading headers, disconnecting peer=0",
        "Timeout downloading headers from noban peer, not disconnecting peer=0"
      ]
    )
  })

  it("log every new tip", () => {
    const tip = {
      hash: new Uint8Array(32).fill(7),
      height: 1,
      version: 0x20_00_00_00,
      time: 1_700_000_000,
      chainWork: 4n,
      transactions: 2,
      progress: 1,
      cacheBytes: 1_048_576
    }
    assert.deepStrictEqual(linesOfNotification({ _tag: "Tip", tip }), [{
      level: "info",
      source: UPDATE_TIP,
      text: `UpdateTip: new best=${"07".repeat(32)} height=1 version=0x20000000 log2_work=2.000000 tx=2 ` +
        "date='2023-11-14T22:13:20Z' progress=1.000000 cache=1.0MiB"
    }])
  })
})
