import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as syncLimits from "../../../src/p2p/sync/sync-limits.ts"
import { PROTECTION } from "../../../src/p2p/layer/limits.ts"

/**
 * Every limit as a literal, so that none changes unnoticed: a change is made here too, on purpose. Times are
 * milliseconds, those of addresses seconds.
 */
const NUMBERS: Readonly<Record<string, number>> = {
  "wire.block": 4_000_000,
  "wire.unconfirmedTransaction": 1_000_000,
  "wire.message": 4_000_000,
  "wire.userAgent": 256,
  "wire.locatorHashes": 101,
  "wire.addressLength": 512,
  "wire.blockTransactions": 65_535,
  "wire.filterRange": 1_000,
  "wire.filterHeaderRange": 2_000,
  "wire.filterCheckpoints": 31_250,
  "wire.bloomFilter": 36_000,
  "wire.bloomFunctions": 50,
  "wire.featureId": 80,
  "wire.featureData": 512,
  "wire.bloomElement": 520,
  "wire.merkleHashes": 16_666,
  "wire.packageRequest": 100,
  "wire.packageBytes": 404_000,
  "peer.received": 5_000_000,
  "peer.receivedOfAll": 16_000_000,
  "peer.receivedBySmall": 65_536,
  "peer.stuckPatience": 5_000,
  "peer.pieceOverhead": 256,
  "peer.unsent": 1_000_000,
  "peer.unsentAtAll": 32_000_000,
  "peer.workOfAll": 128,
  "peer.workSaved": 64,
  "peer.unitOfBytes": 16_384,
  "peer.handshake": 60_000,
  "peer.silence": 1_200_000,
  "peer.pingInterval": 120_000,
  "peer.oldestVersion": 31_800,
  "peer.keyAgreement": 262_144,
  "peer.limitedDepth": 144,
  "connections.fullRelay": 8,
  "connections.blockRelay": 2,
  "connections.feelers": 1,
  "connections.anchors": 2,
  "connections.manual": 8,
  "connections.added": 1_000,
  "connections.feelerInterval": 120_000,
  "connections.extraBlockRelayInterval": 300_000,
  "connections.extraNetworkInterval": 300_000,
  "connections.extraPeerAge": 30_000,
  "connections.extraPeerCheck": 45_000,
  "connections.dialInterval": 500,
  "connections.udpDialInterval": 5_000,
  "connections.udpOutbound": 2,
  "connections.dialsAtOnce": 16,
  "connections.triesPerDial": 100,
  "packages.transactions": 25,
  "packages.weight": 404_000,
  "packages.perPeer": 10,
  "packages.answerTime": 60_000,
  "packages.tidying": 60_000,
  "privateBroadcast.queue": 10_000,
  "privateBroadcast.perTransaction": 3,
  "privateBroadcast.connections": 64,
  "privateBroadcast.lifetime": 180_000,
  "privateBroadcast.staleAtFirst": 300_000,
  "privateBroadcast.stale": 60_000,
  "privateBroadcast.sweep": 120_000,
  "privateBroadcast.sweepSpread": 60_000,
  "connections.recentTry": 600_000,
  "connections.recentTryTries": 30,
  "connections.badPortTries": 50,
  "connections.retryLeast": 1_000,
  "connections.retryMost": 60_000,
  "connections.addrFetchTime": 300_000,
  "connections.seedWait": 11_000,
  "connections.seedWaitOfMany": 300_000,
  "connections.seedsOfMany": 1_000,
  "connections.fixedSeedWait": 60_000,
  "connections.inboundPerAddress": 32,
  "connections.inboundRate": 60,
  "connections.evictionRate": 50,
  "connections.recentAddresses": 4_096,
  "connections.handshakePatience": 5_000,
  "connections.discouraged": 50_000,
  "connections.bans": 10_000,
  "connections.banTime": 86_400_000,
  "addresses.newBuckets": 1_024,
  "addresses.triedBuckets": 256,
  "addresses.bucketSize": 64,
  "addresses.triedBucketsPerGroup": 8,
  "addresses.newBucketsPerSource": 64,
  "addresses.newBucketsPerAddress": 8,
  "addresses.horizon": 2_592_000,
  "addresses.retries": 3,
  "addresses.failures": 10,
  "addresses.failureTime": 604_800,
  "addresses.replacement": 14_400,
  "addresses.collisions": 10,
  "addresses.testWindow": 2_400,
  "addresses.answered": 1_000,
  "addresses.answeredShare": 23,
  "addresses.intakeRate": 0.1,
  "addresses.intakeBurst": 1_000,
  "addresses.relayed": 10,
  "addresses.known": 5_000,
  "addresses.waiting": 1_000,
  "addresses.anchors": 2,
  "addresses.udpNodes": 1_000,
  "addresses.udpNodesPerSource": 64,
  "addresses.udpAnswered": 100,
  "sync.window": 1_024,
  "sync.perPeer": 16,
  "sync.stall": 2_000,
  "sync.stallAtMost": 64_000,
  "sync.headers": 900_000,
  "sync.headersEach": 1,
  "sync.senders": 4_096,
  "sync.waitingBytes": 8_388_608,
  "serving.inventoryOfBlocks": 500,
  "serving.compactDepth": 5,
  "serving.transactionsDepth": 10,
  "serving.keptBlocks": 290,
  "serving.blocksKept": 288,
  "serving.staleAge": 2_592_000_000,
  "serving.historicAge": 604_800_000,
  "serving.uploadCycle": 86_400_000,
  "serving.directFetch": 20,
  "serving.slice": 500,
  "serving.checkpointInterval": 1_000,
  "serving.cachedCheckpoints": 2_000,
  "serving.filteredAtATime": 100_000,
  "serving.filtersAtATime": 100,
  "serving.denied": 100_000,
  "relay.announcements": 5_000,
  "relay.announcementsOfAll": 200_000,
  "relay.candidates": 10_000,
  "relay.announcementsInCrowd": 1_000,
  "relay.inFlight": 100,
  "relay.requestTime": 60_000,
  "relay.inboundDelay": 2_000,
  "relay.txidDelay": 2_000,
  "relay.crowdedDelay": 2_000,
  "relay.getdata": 1_000,
  "relay.inboundTrickle": 5_000,
  "relay.outboundTrickle": 2_000,
  "relay.trickle": 70,
  "relay.trickleAtMost": 1_000,
  "relay.rebroadcast": 600_000,
  "relay.rebroadcastSpread": 300_000,
  "relay.matchedAtATime": 50,
  "relay.matchedSize": 1_000_000,
  "relay.inventory": 50_000,
  "relay.known": 50_000,
  "relay.rejects": 120_000,
  "relay.confirmed": 48_000,
  "relay.weight": 400_000,
  "relay.orphanWeight": 404_000,
  "relay.notFound": 5_016,
  "relay.orphanAnnouncements": 3_000,
  "relay.feeFilterSoon": 300_000,
  "relay.feeFilterLeast": 100,
  "relay.feeFilterMost": 10_000_000,
  "relay.poolRateAge": 10_000,
  "relay.feeFilterInterval": 600_000,
  "relay.highestAmount": 2_100_000_000_000_000
}

/** Every number of the sync. */
const SYNC: Readonly<Record<string, number | bigint>> = {
  ANNOUNCED_HEADERS: 8,
  BLOCK_TIMEOUT_BASE: 1,
  BLOCK_TIMEOUT_PER_PEER: 0.5,
  CHAIN_SYNC_RESPONSE: 120_000,
  CHAIN_SYNC_TIMEOUT: 1_200_000,
  DIRECT_FETCH_INTERVALS: 20,
  DOWNLOAD_WINDOW: 1_024,
  FAR_BEHIND: 8,
  FASTER: 8,
  FIRST_HEADERS_TIME: 2_000,
  HEADERS_DOWNLOAD_BASE: 900_000,
  HEADERS_DOWNLOAD_PER_HEADER: 1,
  HEADERS_RESPONSE_TIME: 120_000,
  LATE_BLOCKS: 2,
  LIMITED_PEER_BLOCKS: 288,
  LONELY_PATIENCE: 60_000,
  MANY_MISSING: 144,
  OWED_LONG: 500,
  OWED_MUCH: 1_000,
  PROTECTED_PEERS: 4,
  RECENT_HEADER: 86_400_000,
  REFUSALS_TO_FAIL: 3,
  REFUSAL_REST: 1_000,
  REFUSAL_REST_MOST: 60_000,
  REMEMBERED_SENDERS: 4_096,
  SLOW_PEER_BLOCKS: 16,
  STALE_TIP_CHECK: 600_000,
  STALE_TIP_INTERVALS: 3,
  STALL_TIMEOUT: 2_000,
  STALL_TIMEOUT_DECAY: 0.85,
  STALL_TIMEOUT_MOST: 64_000,
  WAITING_BLOCK_BYTES: 8_388_608,
  WORK_MARGIN_BLOCKS: 144n
}

/** The text of every test of the network layer and of its messages. */
const tests = (): string => {
  const folders = ["../../../test/p2p/", "../../../../protocol/test/"].map((path) => new URL(path, import.meta.url))
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(new URL(name, folder), "utf8"))
  ).join("\n")
}

describe("limits", () => {
  it("have a name of their own, a number, a unit and a source", () => {
    assert.strictEqual(new Set(PROTECTION.map(({ name }) => name)).size, PROTECTION.length)
    for (const { most, name, source, unit } of PROTECTION) {
      assert.isAbove(most, 0, name)
      assert.isTrue(unit.length > 3 && source.length > 3, name)
    }
  })

  it("are the numbers written here, all of them and no others", () => {
    assert.deepStrictEqual(Object.fromEntries(PROTECTION.map(({ most, name }) => [name, most])), NUMBERS)
    assert.deepStrictEqual(Object.fromEntries(Object.entries(syncLimits)), SYNC)
    assert.deepStrictEqual(DEFAULT_LIMITS, {
      messageLength: 33_554_432,
      addresses: 1_000,
      inventory: 50_000,
      headers: 2_000
    })
  })

  it("that come from an advisory have a test that names it", () => {
    const all = tests()
    const advisories = new Set(PROTECTION.flatMap(({ source }) => source.match(/CVE-\d{4}-\d+/g) ?? []))
    assert.isAtLeast(advisories.size, 5)
    assert.deepStrictEqual([...advisories].filter((advisory) => !all.includes(advisory)), [])
  })
})
