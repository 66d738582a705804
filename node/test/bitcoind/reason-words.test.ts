import { assert, describe, it } from "@effect/vitest"
import { coreMisbehavior, coreReason } from "../../src/bitcoind/log/core-reasons.ts"
import { type DisconnectReason, disconnectText } from "../../src/runtime/disconnect-reason.ts"
import { type Misbehavior, misbehaviorText } from "../../src/runtime/misbehavior.ts"

/** The facts of one value of each kind, its words here, and those of Bitcoin Core's log where they differ. */
type Rows<Value extends { readonly _tag: string }> = {
  readonly [T in Value["_tag"]]: readonly [
    facts: Omit<Extract<Value, { readonly _tag: T }>, "_tag">,
    words: string,
    core?: string
  ]
}

const tooMany = (what: "addresses" | "headers" | "indexes" | "inventory entries" | "locator hashes") =>
  ({ _tag: "TooMany", what, count: 50_001, most: 50_000 }) as const

const hash = new Uint8Array(32).fill(3)

const MISBEHAVIORS: Rows<Misbehavior> = {
  AncestorNamedTwice: [{}, "ancpkginfo that names a transaction twice"],
  BadFilterAdd: [{}, "bad filteradd message"],
  BadPayload: [
    { command: "inv", fault: tooMany("inventory entries") },
    "inv: 50001 inventory entries, at most 50000 allowed",
    "inv message size = 50001"
  ],
  BlockRejected: [
    { rejection: { reason: "bad-txns", class: "invalid", rule: undefined, debug: "so" }, via: "block" },
    "bad-txns, so"
  ],
  BloomFilterTooLarge: [{}, "too-large bloom filter"],
  CompactBlockAlreadyFailed: [{}, "previous compact block reconstruction attempt failed"],
  CompactBlockInvalid: [{}, "invalid compact block"],
  CompactBlockMismatch: [{}, "invalid compact block/non-matching block transactions"],
  HeaderWithoutWork: [{}, "header with invalid proof of work"],
  HeadersNotContinuous: [{}, "non-continuous headers sequence"],
  PackageNotRequested: [{}, "pkgtxns that was not requested"],
  PackageOfConflicts: [{}, "package of transactions that conflict"],
  TransactionIndexOutOfBounds: [{}, "getblocktxn with out-of-bounds tx indices"]
}

const EVICTED = "selected inbound connection for eviction"

const REASONS: Rows<DisconnectReason> = {
  AddrFetchCompleted: [{}, "addrfetch connection completed"],
  AddrFetchTimeout: [{}, "addrfetch connection timeout"],
  AddressBanned: [{}, "the address is banned", "dropped (banned)"],
  AfterVerack: [{ command: "sendaddrv2" }, "sendaddrv2 received after verack"],
  AncestorsNotRequested: [{}, "ancpkginfo that was not requested"],
  AnswersNotRead: [{}, "does not read its answers"],
  BadFrame: [{ fault: { _tag: "NoTerminator", most: 5 } }, "no end of the garbage in 5 bytes"],
  BadPayload: [
    { command: "getblocks", fault: tooMany("locator hashes") },
    "getblocks: 50001 locator hashes, at most 50000 allowed",
    "getblocks locator size 50001 > 50000"
  ],
  BlockBelowLimit: [
    {},
    "it asks for blocks below what a limited node serves",
    "Ignore block request below NODE_NETWORK_LIMITED threshold"
  ],
  BlockDownloadTimeout: [{}, "block download timeout", "Timeout downloading block"],
  BlockStalling: [{}, "stalls the block download", "Peer is stalling block download"],
  BlockUnreadable: [{}, "a requested block cannot be read"],
  BlocksNotSent: [{}, "does not send requested blocks"],
  BloomNotOffered: [{ command: "filterload" }, "filterload received despite not offering bloom services"],
  ChainSyncTimeout: [{}, "chain sync timeout"],
  ChainWorkTooLow: [{}, "outbound peer headers chain has insufficient work"],
  ConnectedToSelf: [{}, "connected to self"],
  ConnectionEnded: [{ why: "ECONNRESET" }, "ECONNRESET"],
  EvictedBeforeHandshake: [{}, "evicted before the handshake", EVICTED],
  EvictedForAnother: [{}, "evicted for another peer", EVICTED],
  ExtraBlockRelayPeer: [{}, "one peer for blocks too many"],
  ExtraOutboundPeer: [{}, "one outbound peer too many"],
  FeatureBeforeItsVersion: [{ version: 7 }, "feature received with incompatible version 7"],
  FeatureInvalid: [{}, "invalid feature payload"],
  FeelerCompleted: [{}, "feeler connection completed"],
  FilterBlockInvalid: [{ hash }, `peer requested invalid block hash: ${"03".repeat(32)}`],
  FilterRangeInvalid: [
    { start: 1_000, stop: 999 },
    "peer sent invalid getcfilters/getcfheaders with start height 1000 and stop height 999"
  ],
  FilterTypeUnsupported: [{ filterType: 255 }, "peer requested unsupported block filter type: 255"],
  FiltersTooMany: [{ count: 1_001, most: 1_000 }, "peer requested too many cfilters/cfheaders: 1001 / 1000"],
  ForeignBranch: [{}, "it follows a branch with less work"],
  ForeignHeaders: [{}, "it follows a chain with headers of another format"],
  GetDataOfNotFoundType: [{}, "getdata for what only notfound may name"],
  HandshakeTimeout: [{}, "version handshake timeout"],
  HandshakeTimeoutV2: [{}, "V2 handshake timeout"],
  HeadersTimeout: [{}, "it took too long to send headers"],
  HeadersUnanswered: [{}, "it left requests for headers unanswered"],
  HistoricalBlockLimit: [{}, "historical block serving limit reached"],
  IncompleteMessage: [{}, "incomplete message while the receive budget is used up"],
  InternalError: [{}, "internal error"],
  MempoolRequestOverLimit: [{}, "mempool request with bandwidth limit reached"],
  MempoolRequestWithoutBloom: [{}, "mempool request with bloom filters disabled"],
  Misbehaved: [
    { what: { _tag: "BadPayload", command: "addr", fault: tooMany("addresses") } },
    "addr: 50001 addresses, at most 50000 allowed",
    "addr message size = 50001"
  ],
  NetworkOff: [{}, "the network is switched off"],
  NoFirstMessage: [
    { patience: 60_000, wasReceived: false, wasSent: false },
    "socket no message in first 60 seconds, never received from peer, never sent to peer"
  ],
  NodeStopping: [{}, "the node is stopping"],
  ObsoleteVersion: [{ version: 31_799 }, "peer using obsolete version 31799"],
  OperatorRequest: [{}, "disconnected by the operator"],
  PackageAnnounced: [{}, "inv that names a package"],
  PingTimeout: [{}, "ping timeout"],
  PrivateNoRelay: [{}, "does not support transaction relay (connected in vain)"],
  PrivateNothingToSend: [{}, "no more transactions for private broadcast (connected in vain)"],
  PrivateRequestEarly: [{}, "got GETDATA without sending an INV"],
  PrivateRequestOther: [{}, "got an unexpected GETDATA message"],
  PrivateSendConfirmed: [{}, "got a PONG (the transaction will probably reach the network)"],
  PrivateSendOverdue: [{ seconds: 180 }, "did not complete the transaction send within 180 seconds"],
  ReconciliationRepeated: [
    {},
    "txreconciliation protocol violation (sendtxrcncl received from already registered peer)"
  ],
  ReconciliationVersion: [{}, "txreconciliation protocol violation"],
  ReconciliationWithoutOurRelay: [{}, "sendtxrcncl received to which we indicated no tx relay"],
  ReconciliationWithoutTheirRelay: [{}, "sendtxrcncl received which indicated no tx relay to us"],
  ServicesMissing: [
    { offered: 1n, expected: 9n },
    "peer does not offer the expected services (00000001 offered, 00000009 expected)"
  ],
  SocketSilent: [{ what: "sending", silence: 1_200_999 }, "socket sending timeout: 1200s"],
  TransactionAnnounced: [{ hash }, `transaction (${"03".repeat(32)}) inv sent in violation of protocol`],
  TransactionSent: [{}, "transaction sent in violation of protocol"]
}

const valuesOf = <Value extends { readonly _tag: string }>(rows: Rows<Value>) =>
  Object.entries<readonly [facts: object, words: string, core?: string]>(rows).map(
    ([_tag, [facts, words, core = words]]) => [_tag, words, core, { _tag, ...facts } as unknown as Value] as const
  )

describe("why a peer is disconnected", () => {
  it.each(valuesOf(REASONS))("%s is worded in events and the log as %j, in Bitcoin Core's log as %j", (...row) => {
    const [, words, core, reason] = row
    assert.deepStrictEqual([disconnectText(reason), coreReason(reason)], [words, core])
  })

  it("has no line of Bitcoin Core's for an end in words that are only like a known reason", () => {
    const why = "stalls the block download"
    assert.strictEqual(coreReason({ _tag: "ConnectionEnded", why }), why)
  })
})

describe("what a peer did that no honest node does", () => {
  it.each(valuesOf(MISBEHAVIORS))("%s is worded in events and the log as %j, in Bitcoin Core's log as %j", (...row) => {
    const [, words, core, what] = row
    assert.deepStrictEqual([misbehaviorText(what), coreMisbehavior(what)], [words, core])
  })

  it("is worded by the message that brought a rejected block", () => {
    const words = (via: "block" | "cmpctblock" | "headers", kind: "invalid header" | "mutated", reason: string) =>
      misbehaviorText({ _tag: "BlockRejected", via, rejection: { reason, class: kind, rule: undefined } })
    assert.strictEqual(words("headers", "invalid header", "time-too-old"), "invalid header received: time-too-old")
    assert.strictEqual(words("cmpctblock", "invalid header", "time-too-old"), "invalid header via cmpctblock")
    assert.strictEqual(words("block", "mutated", "bad-txnmrklroot"), "mutated block: bad-txnmrklroot")
    assert.strictEqual(words("block", "mutated", "mutated block"), "mutated block")
  })

  it("names the size of a list that is too long as Bitcoin Core does, and of other lists in words of its own", () => {
    const words = (what: Parameters<typeof tooMany>[0]) =>
      coreMisbehavior({ _tag: "BadPayload", command: "headers", fault: tooMany(what) })
    assert.strictEqual(words("headers"), "headers message size = 50001")
    assert.strictEqual(words("indexes"), "headers: 50001 indexes, at most 50000 allowed")
  })
})
