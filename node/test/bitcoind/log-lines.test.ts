import { assert, describe, it } from "@effect/vitest"
import { PARENT_MISSING, type Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import { decodeBlock } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { faultText } from "@lockstep/protocol/wire/fault.ts"
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { coreLogLayer } from "../../src/bitcoind/log/core-log-layer.ts"
import { type CoreLine, lineText } from "../../src/bitcoind/log/core-line.ts"
import { openDebugLog } from "../../src/bitcoind/log/debug-log.ts"
import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"
import { linesOfNotification, UPDATE_TIP } from "../../src/bitcoind/log/lines-of-notifications.ts"
import { linesOfRecord } from "../../src/bitcoind/log/lines-of-records.ts"
import { shrinkLog } from "../../src/bitcoind/log/shrink.ts"
import type { LogPlan } from "../../src/bitcoind/plan/log-plan.ts"
import type { Refused } from "../../src/engine/api/engine-notification.ts"
import { isOn } from "../../src/log/category-switches.ts"
import { CORE_CATEGORIES } from "../../src/log/core-categories.ts"
import { Log } from "../../src/log/log-layer.ts"
import { oddPong } from "../../src/p2p/peer/session/ping-pong.ts"
import { LOG_PLAN } from "./debug-log-plan.ts"

const TIME = { now: 1_700_000_000_123_456n, mocked: 0 }

const text = (line: CoreLine, plan: Partial<LogPlan> = {}, mocked = 0): string =>
  lineText(line, { ...TIME, mocked }, { ...LOG_PLAN, ...plan })

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

describe("a line of debug.log", () => {
  it("has time and tags as Bitcoin Core writes them", () => {
    assert.strictEqual(text({ level: "info", text: "x" }), "2023-11-14T22:13:20Z x")
    assert.strictEqual(text({ level: "warning", text: "x" }), "2023-11-14T22:13:20Z [warning] x")
    assert.strictEqual(text({ level: "debug", category: "net", text: "x" }), "2023-11-14T22:13:20Z [net] x")
    assert.strictEqual(text({ level: "info", category: "net", text: "x" }), "2023-11-14T22:13:20Z [net:info] x")
    assert.strictEqual(text({ level: "info", text: "x" }, { showsLevels: true }), "2023-11-14T22:13:20Z [all:info] x")
    assert.strictEqual(
      text({ level: "info", text: "x" }, { showsMicroseconds: true, showsThreads: true }),
      "2023-11-14T22:13:20.123456Z [main] x"
    )
    assert.strictEqual(
      text({ level: "info", text: "x" }, {}, 1_700_000_000),
      "2023-11-14T22:13:20Z (mocktime: 2023-11-14T22:13:20Z) x"
    )
    assert.strictEqual(text({ level: "info", text: "x" }, { showsTime: false }), "x")
  })

  it("is one line, whatever a peer sends", () => {
    assert.strictEqual(text({ level: "info", text: "a\nb\u0001\n" }, { showsTime: false }), "a\\x0ab\\x01\n")
  })
})

describe("the categories of debug.log", () => {
  it.effect("are on and off by their own names", () =>
    Effect.gen(function*() {
      const categories = new Set(["net", "validation"])
      const opened = openDebugLog({ plan: { ...LOG_PLAN, categories }, print: () => {}, now: () => TIME.now })
      if (typeof opened === "string") throw new Error(opened)
      const { levels } = yield* Effect.provide(Log, coreLogLayer(opened, false))
      const on = Object.keys(CORE_CATEGORIES).filter((name) => isOn(levels(), name))
      assert.deepStrictEqual(on, ["net", "validation"])
    }))
})

describe("debug.log", () => {
  const made = (plan: Partial<LogPlan>) => {
    let printed = ""
    const log = openDebugLog({
      plan: { ...LOG_PLAN, ...plan },
      print: (more) => void (printed += more),
      now: () => TIME.now
    })
    if (typeof log === "string") throw new Error(log)
    return { log, printed: () => printed }
  }

  it("has lines in detail of categories that are on alone", () => {
    const { log, printed } = made({ showsTime: false, levels: new Map([["rpc", "info"]]) })
    for (const category of ["net", "rpc"]) log.write({ level: "debug", category, text: category })
    log.write({ level: "trace", category: "net", text: "too much" })
    log.setCategories(new Set(["rpc"]))
    log.write({ level: "debug", category: "net", text: "off" })
    log.write({ level: "debug", category: "rpc", text: "of a higher level" })
    log.write({ level: "error", category: "net", text: "always" })
    assert.strictEqual(printed(), "\n\n\n\n\n[net] net\n[net:error] always\n")
  })

  it("names what writes each line where that is asked for", () => {
    const { log, printed } = made({ showsTime: false, showsSources: true, showsThreads: true })
    log.write({ level: "info", text: "one" })
    log.write({ level: "debug", category: "net", text: "two", source: "PeerConnected" })
    assert.strictEqual(
      printed().trimStart(),
      "[main] [bitcoind] [AppInitMain] one\n[main] [bitcoind] [PeerConnected] [net] two\n"
    )
  })

  it("is opened anew, and is cut where it is long", () => {
    const directory = mkdtempSync(join(tmpdir(), "lockstep-log-"))
    const file = join(directory, "debug.log")
    try {
      const { log } = made({ file, toConsole: false, showsTime: false })
      renameSync(file, `${file}.1`)
      assert.isUndefined(log.reopen())
      log.write({ level: "info", text: "later" })
      log.close()
      assert.strictEqual(readFileSync(file, "utf8"), "later\n")
      writeFileSync(file, "0123456789")
      shrinkLog(file, 10, 4)
      assert.strictEqual(readFileSync(file, "utf8"), "0123456789")
      shrinkLog(file, 9, 4)
      assert.strictEqual(readFileSync(file, "utf8"), "6789")
      const none = openDebugLog({ plan: { ...LOG_PLAN, file: directory }, print: () => {}, now: () => 0n })
      assert.strictEqual(none, `Could not open debug log file ${directory}`)
    } finally {
      rmSync(directory, { recursive: true })
    }
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
      reason: "peer using obsolete version 31799"
    } as const
    assert.deepStrictEqual(said(gone), ["peer using obsolete version 31799, disconnecting peer=5"])
    assert.deepStrictEqual(said({ _tag: "ConnectionGone", peer: 5 }), ["Cleared nodestate for peer=5"])
    assert.strictEqual(
      said({ ...gone, reason: "it asks for blocks below what a limited node serves" })[0],
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
    const reason = `addrv2: ${faultText(tooMany)}`
    const misbehaving = { _tag: "Misbehaving", peer: 1, address: "192.0.2.1:7", reason, isOnion: false } as const
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

describe("lines of our own log", () => {
  const of = (message: string, level: "debug" | "info" | "warn" = "info", category = "node", fields = {}) =>
    linesOfRecord({ time: new Date(0), level, category, message, fields })

  it("have Bitcoin Core's words where it has some", () => {
    assert.deepStrictEqual(of("RPC listens", "info", "rpc", { address: "[::1]:18443" }), [
      { level: "info", text: "Binding RPC on address ::1 port 18443" }
    ])
    assert.deepStrictEqual(of("event", "debug", "events"), [])
  })

  it("say which blocks of files waited for their parents", () => {
    const facts = { block: "bb", parent: "aa" }
    assert.deepStrictEqual(of("A block of a file waits for its parent", "debug", "chain", facts), [
      { level: "debug", category: "reindex", text: "LoadExternalBlockFile: Out of order block bb, parent aa not known" }
    ])
    assert.deepStrictEqual(of("A block that waited for its parent is taken in", "debug", "chain", facts), [
      {
        level: "debug",
        category: "reindex",
        text: "LoadExternalBlockFile: Processing out of order child bb of aa"
      }
    ])
  })

  it("say what became of a saved mempool", () => {
    const texts = (message: string, fields: object) => of(message, "debug", "chain", fields).map((line) => line.text)
    assert.deepStrictEqual(
      texts("The mempool is saved", {
        transactions: 3,
        unbroadcast: 1,
        bytes: 700,
        copy_seconds: 0.0004,
        write_seconds: 1.25
      }),
      [
        "Writing 3 mempool transactions to file...",
        "Writing 1 unbroadcast transactions to file.",
        "Dumped mempool: 0.000s to copy, 1.250s to dump, 700 bytes dumped to file"
      ]
    )
    const counts = { accepted: 1, failed: 2, expired: 3, known: 4, unbroadcast: 5 }
    const loaded = "Imported mempool transactions from file: 1 succeeded, 2 failed, 3 expired, 4 already there, " +
      "5 waiting for initial broadcast"
    assert.deepStrictEqual(texts("The mempool of the last run is loaded", counts), [loaded])
    assert.deepStrictEqual(texts("A mempool is imported", { file: "/m", ...counts }), [loaded])
    assert.deepStrictEqual(texts("A saved mempool is being loaded", { transactions: 10 }), [
      "Loading 10 mempool transactions from file..."
    ])
    assert.deepStrictEqual(texts("A transaction leaves before a peer asked for it", { txid: "ab" }), [
      "Removed ab from set of unbroadcast txns before confirmation that txn was sent out"
    ])
    assert.deepStrictEqual(texts("There is no mempool of the last run", {}), [
      "Failed to open mempool file. Continuing anyway."
    ])
    assert.deepStrictEqual(texts("The mempool could not be saved", { cause: "full" }), [
      "Failed to dump mempool: full. Continuing anyway."
    ])
  })

  it("say what became of a snapshot of coins", () => {
    const texts = (message: string) =>
      of(message, "info", "chain", { block_hash: "ab", height: 1 }).map((line) => line.text)
    assert.deepStrictEqual(texts("[snapshot] successfully activated snapshot"), [
      "[snapshot] successfully activated snapshot ab"
    ])
    assert.deepStrictEqual(texts("[snapshot] the loaded snapshot is confirmed"), [
      "[snapshot] snapshot beginning at ab has been fully validated"
    ])
  })

  it("keep their own words elsewhere, with what they are about", () => {
    assert.deepStrictEqual(of("the disk is full", "warn", "chain", { free: 5 }), [
      { level: "warning", category: undefined, text: "the disk is full free=5" }
    ])
    assert.deepStrictEqual(of("something", "debug", "net"), [{ level: "debug", category: "net", text: "something" }])
  })
})
