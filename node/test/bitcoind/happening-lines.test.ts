import { assert, describe, it } from "@effect/vitest"
import { linesOfTraceEvent } from "../../src/bitcoind/log/lines-of-trace-events.ts"
import type { RelayHappening } from "../../src/runtime/relay-happening.ts"
import type { SeedingHappening } from "../../src/runtime/seeding-happening.ts"
import type { StartHappening } from "../../src/runtime/start-happening.ts"
import type { PresyncNews, SyncHappening } from "../../src/runtime/sync-happening.ts"
import type { TraceEvent } from "../../src/runtime/trace.ts"

type Happening = RelayHappening | SeedingHappening | StartHappening | SyncHappening

/** The facts of a happening of each kind, and the lines that Bitcoin Core's log has of it. */
type Rows = {
  readonly [T in Happening["_tag"]]: readonly [
    facts: Omit<Extract<Happening, { readonly _tag: T }>, "_tag">,
    ...lines: ReadonlyArray<string>
  ]
}

const peer = 7
const [txid, wtxid] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const [ONE, TWO] = ["01".repeat(32), "02".repeat(32)]
const named = `${ONE} (wtxid=${TWO})`

const ROWS: Rows = {
  AddressAdvertised: [{ peer, address: "1.2.3.4:5" }, "[net] Advertising address 1.2.3.4:5 to peer=7"],
  AddressesIgnored: [{ peer, command: "addrv2" }, "[net] ignoring addrv2 message from block-relay-only peer=7"],
  AddressesReceived: [
    { peer, received: 5, processed: 4, limited: 1 },
    "[net] Received addr: 5 addresses (4 processed, 1 rate-limited) from peer=7"
  ],
  AddrmanCheck: [{ fresh: 1, tried: 2, total: 3 }, "[addrman] CheckAddrman: new 1, tried 2, total 3 started"],
  AddrmanChecked: [{}, "[addrman] CheckAddrman: completed"],
  AnchorsLoaded: [{ count: 2 }, "2 block-relay-only anchors will be tried for connections."],
  AnchorsSaved: [
    { count: 2, isDone: true },
    "DumpAnchors: Flush 2 outbound block-relay-only peer addresses to anchors.dat completed"
  ],
  AsmapChecked: [
    { clearnet: 4, systems: 2, unmapped: 1 },
    "ASMap Health Check: 4 clearnet peers are mapped to 2 ASNs with 1 peers being unmapped"
  ],
  BanListCreated: [{}, "Recreating the banlist database"],
  BlockTransactionsUnexpected: [{ peer }, "[net] Peer 7 sent us block transactions for block we weren't expecting"],
  BlockTransactionsUnserved: [
    { peer, deeperThan: 10 },
    "[net] Peer 7 sent us a getblocktxn for a block > 10 deep"
  ],
  BucketedByPrefix: [{}, "Using /16 prefix for IP bucketing"],
  CompactBlockFailed: [
    { peer },
    "[net] Peer 7 sent us a compact block but it failed to reconstruct, waiting on first download to complete"
  ],
  CompactBlockIgnored: [{ peer, why: "low work" }, "[net] Ignoring low-work compact block from peer 7"],
  CompactBlockRebuilt: [
    { hash: txid, prefilled: 1, found: 5, extra: 2, requested: 3, requestedBytes: 400 },
    `[cmpctblock] Successfully reconstructed block ${ONE} with 1 txn prefilled, 5 txn from mempool ` +
    "(incl at least 2 from extra pool) and 3 txn (400 bytes) requested"
  ],
  DnsSeedAsked: [{ name: "seed.example" }, "Loading addresses from DNS seed seed.example"],
  DnsSeedingBegun: [{}, "dnsseed thread start"],
  DnsSeedingDisabled: [{}, "DNS seeding disabled"],
  DnsSeedingEnded: [{}, "dnsseed thread exit"],
  DnsSeedingSufficed: [{ hasAddresses: true }, "P2P peers available. Finished DNS seeding."],
  DnsSeedingWaits: [{ seconds: 300 }, "Waiting 300 seconds before querying DNS seeds."],
  DnsSeedsAnswered: [{ addresses: 5 }, "5 addresses found from DNS seeds"],
  DnsSeedsNotNeeded: [{}, "Skipping DNS seeds. Enough peers have been found"],
  FixedSeedsAdded: [{ count: 5 }, "Added 5 fixed seeds from reachable networks."],
  FixedSeedsDisabled: [{}, "Fixed seeds are disabled"],
  FixedSeedsNeeded: [
    { why: "waited" },
    "Adding fixed seeds as 60 seconds have passed and addrman is empty for at least one reachable network"
  ],
  GetAddrIgnored: [
    { peer, kind: "outbound-full-relay" },
    "[net] Ignoring \"getaddr\" from outbound-full-relay connection. peer=7"
  ],
  HeaderSeen: [
    { hash: txid, height: 5, peer, via: "cmpctblock", isDownloading: true },
    `[validation] Saw new cmpctblock header hash=${ONE} height=5 peer=7`
  ],
  HeadersUnconnected: [
    { peer, hash: txid, previous: wtxid, height: 5 },
    `[net] received header ${ONE}: missing prev block ${TWO}, sending getheaders (5) to end (peer=7)`
  ],
  I2pSessionCreated: [
    { kind: "persistent", id: "ab", router: "127.0.0.1:7656" },
    "[i2p] Creating persistent I2P SAM session ab with 127.0.0.1:7656"
  ],
  NetworkThread: [{ name: "msghand", isRunning: false }, "msghand thread exit"],
  OldBlockRequested: [{ peer }, "[net] ignoring request from peer=7 for old block that isn't in the main chain"],
  OldChain: [
    { peer, best: undefined },
    "[net] Outbound peer has old chain, best known block = <none>, disconnecting peer=7"
  ],
  OnionServiceAdded: [
    { address: "abc.onion:8333" },
    "Got tor service ID abc, advertising service abc.onion:8333"
  ],
  OrphanAnnounced: [{ txid, wtxid, peer }, `[txpackages] added peer=7 as announcer of orphan tx ${named}`],
  OrphanAssigned: [{ txid, wtxid, peer }, `[txpackages] added ${named} to peer 7 workset`],
  OrphanRemoved: [{ txid, wtxid, announcements: 2 }, `[txpackages] removed orphan tx ${named} (2 announcements)`],
  OrphanStored: [
    { txid, wtxid, weight: 400, announcements: 1, outpoints: 2 },
    `[txpackages] stored orphan tx ${named}, weight: 400 (mapsz 1 outsz 2)`
  ],
  OrphanTooLarge: [
    { txid, wtxid, weight: 400_001 },
    `[txpackages] ignoring large orphan tx (size: 400001, txid: ${ONE}, wtxid: ${TWO})`
  ],
  OrphanageOverflow: [
    { orphans: 2, announcements: 3 },
    "[txpackages] orphanage overflow, removed 2 tx (3 announcements)"
  ],
  OrphansOfPeerErased: [{ orphans: 2, peer }, "[txpackages] Erased 2 orphan transaction(s) from peer=7"],
  OwnAddressAdded: [{ address: "8.8.8.8:9", score: 4 }, "AddLocal(8.8.8.8:9,4)"],
  PackageJudged: [
    { parent: { txid, wtxid }, child: { txid: wtxid, wtxid: txid }, peer, isAccepted: true },
    `[txpackages] package evaluation for parent ${ONE} (wtxid=${TWO}, sender=7) + child ${TWO} (wtxid=${ONE}, ` +
    "sender=7): package accepted"
  ],
  PeerProtected: [{ peer }, "[net] Protecting outbound peer=7 from eviction"],
  PeersFileLoaded: [{ count: 5, took: 1.4 }, "Loaded 5 addresses from peers.dat  1ms"],
  PeersFileOfOtherVersion: [
    { path: "/data/peers.dat" },
    "Creating new peers.dat because the file version was not compatible (\"/data/peers.dat\"). Original backed up to " +
    "peers.dat.bak"
  ],
  Presync: [
    { peer, news: { _tag: "Aborted", why: "commitment overrun", height: 9, phase: "redownload" } },
    "[net] Initial headers sync aborted with peer=7: commitment overrun at height=9 (redownload phase)"
  ],
  ReorganizationTooLarge: [{ hash: txid, height: 5 }, `[net] Large reorg, won't direct fetch to ${ONE} (5)`],
  RpcStarting: [
    { cookie: { file: "/data/.cookie", mode: 0o640 }, login: "cookie", hasSalted: true, threads: 4 },
    "Generated RPC authentication cookie /data/.cookie",
    "Permissions used for cookie: rw-r-----",
    "Using random cookie authentication.",
    "Using rpcauth authentication.",
    "Starting HTTP server with 4 worker threads"
  ],
  SeedNodeAsked: [
    { node: "a.example", waited: 10 },
    "Couldn't connect to peers from addrman after 10 seconds. Adding seednode (a.example) to addrfetch"
  ],
  SeedNodesFailed: [
    {},
    "Couldn't connect to enough peers via seed nodes. Handing fetch logic to the DNS seeds."
  ],
  SeedNodesSufficed: [{}, "P2P peers available. Finished fetching data from seed nodes."],
  SeedNodesTried: [
    { patience: 30 },
    "-seednode enabled. Trying the provided seeds for 30 seconds before defaulting to the dnsseeds."
  ],
  StageBegun: [{ stage: "addresses" }, "init message: Loading P2P addresses…"],
  TransactionForced: [
    { txid, wtxid, peer, isInMempool: false },
    `Not relaying non-mempool transaction ${named} from forcerelay peer=7`
  ]
}

const shown = (happening: TraceEvent): ReadonlyArray<string> =>
  linesOfTraceEvent(happening, false).map(({ category, text }) =>
    category === undefined ? text : `[${category}] ${text}`
  )

describe("a happening of the network layer in Bitcoin Core's log", () => {
  it.each(Object.entries<readonly [facts: object, ...lines: ReadonlyArray<string>]>(ROWS))(
    "%s has the lines of Bitcoin Core",
    (_tag, [facts, ...lines]) => {
      assert.deepStrictEqual(shown({ _tag, ...facts } as TraceEvent), lines)
    }
  )

  it.each<readonly [Happening, string]>([
    [
      { _tag: "FixedSeedsNeeded", why: "no other source" },
      "Adding fixed seeds as -dnsseed=0 (or IPv4/IPv6 connections are disabled via -onlynet) and neither -addnode nor " +
      "-seednode are provided"
    ],
    [
      { _tag: "SeedNodeAsked", node: "a.example", waited: undefined },
      "Empty addrman, adding seednode (a.example) to addrfetch"
    ],
    [
      { _tag: "BlockTransactionsUnserved", peer, deeperThan: undefined },
      "[net] Peer 7 sent us a getblocktxn for a block we don't have"
    ],
    [
      { _tag: "CompactBlockIgnored", peer, why: "already syncing" },
      "[net] Peer sent us compact block we were already syncing!"
    ],
    [
      { _tag: "CompactBlockIgnored", peer, why: "unsolicited" },
      "[net] Peer 7, not marked as high-bandwidth, sent us an unsolicited compact block!"
    ],
    [
      { _tag: "HeaderSeen", hash: txid, height: 5, peer, via: "headers", isDownloading: false },
      `Saw new header hash=${ONE} height=5 peer=7`
    ]
  ])("%j has a line of its own", (happening, line) => {
    assert.deepStrictEqual(shown(happening), [line])
  })

  it.each<readonly [PresyncNews, string]>([
    [{ _tag: "Completed", height: 9 }, "complete with peer=7: releasing all at height=9 (redownload phase)"],
    [
      { _tag: "Started", height: 5, mostCommitments: 223, minimumWork: 10_000n },
      `started with peer=7: height=5, max_commitments=223, min_work=${"2710".padStart(64, "0")}`
    ],
    [
      { _tag: "Sufficient", height: 9, start: 5 },
      "transition with peer=7: reached sufficient work at height=9, redownloading from height=5"
    ]
  ])("news of a presync of the kind %s is worded as in Bitcoin Core", (news, text) => {
    assert.deepStrictEqual(shown({ _tag: "Presync", peer, news }), [`[net] Initial headers sync ${text}`])
  })
})
