import type { Limit } from "@lockstep/protocol/wire/limits.ts"
import { SECONDS } from "../../units.ts"

/** Limits on the number and age of kept addresses, and on the rate at which they are accepted and sent. */
export const ADDRESS_LIMITS = {
  newBuckets: { most: 1_024, unit: "buckets of addresses never connected to", source: "Core ADDRMAN_NEW_BUCKET_COUNT" },
  triedBuckets: { most: 256, unit: "buckets of addresses connected to", source: "Core ADDRMAN_TRIED_BUCKET_COUNT" },
  bucketSize: { most: 64, unit: "addresses of a bucket", source: "Core ADDRMAN_BUCKET_SIZE" },
  triedBucketsPerGroup: {
    most: 8,
    unit: "tried buckets of one network group",
    source: "Core ADDRMAN_TRIED_BUCKETS_PER_GROUP"
  },
  newBucketsPerSource: {
    most: 64,
    unit: "new buckets that one source group reaches",
    source: "Core ADDRMAN_NEW_BUCKETS_PER_SOURCE_GROUP"
  },
  newBucketsPerAddress: {
    most: 8,
    unit: "new buckets one address is in",
    source: "Core ADDRMAN_NEW_BUCKETS_PER_ADDRESS"
  },
  udpNodes: { most: 1_000, unit: "nodes over QUIC and Iroh that are kept", source: "choice: a small network" },
  udpNodesPerSource: {
    most: 64,
    unit: "of those that never answered and come from one source group",
    source: "choice: as newBucketsPerSource"
  },
  udpAnswered: { most: 100, unit: "nodes over QUIC and Iroh in an answer", source: "choice: a tenth of all" },
  horizon: { most: 30 * SECONDS.day, unit: "seconds since an address was seen", source: "Core ADDRMAN_HORIZON" },
  retries: { most: 3, unit: "attempts on an address that never worked", source: "Core ADDRMAN_RETRIES" },
  failures: { most: 10, unit: "failures in a week on an address that worked", source: "Core ADDRMAN_MAX_FAILURES" },
  failureTime: { most: 7 * SECONDS.day, unit: "seconds those failures go on", source: "Core ADDRMAN_MIN_FAIL" },
  replacement: {
    most: 4 * SECONDS.hour,
    unit: "seconds that a success protects a tried address",
    source: "Core ADDRMAN_REPLACEMENT"
  },
  collisions: {
    most: 10,
    unit: "tried collisions that wait for a test",
    source: "Core ADDRMAN_SET_TRIED_COLLISION_SIZE"
  },
  testWindow: { most: 40 * SECONDS.minute, unit: "seconds such an address waits", source: "Core ADDRMAN_TEST_WINDOW" },
  answered: { most: 1_000, unit: "addresses in an answer to getaddr", source: "Core MAX_ADDR_TO_SEND" },
  answeredShare: { most: 23, unit: "percent of all addresses in an answer", source: "Core MAX_PCT_ADDR_TO_SEND" },
  intakeRate: {
    most: 0.1,
    unit: "addresses a second accepted from a peer",
    source: "CVE-2024-52919; Core MAX_ADDR_RATE_PER_SECOND"
  },
  intakeBurst: {
    most: 1_000,
    unit: "addresses accepted from a peer at once",
    source: "CVE-2024-52919; Core MAX_ADDR_PROCESSING_TOKEN_BUCKET"
  },
  relayed: {
    most: 10,
    unit: "addresses of a message that is relayed",
    source: "Core: longer messages answer getaddr"
  },
  known: {
    most: 5_000,
    unit: "addresses remembered as known to a peer",
    source: "Core m_addr_known: a rolling filter of 5,000"
  },
  waiting: { most: 1_000, unit: "addresses waiting to be sent to a peer", source: "Core MAX_ADDR_TO_SEND" },
  anchors: {
    most: 2,
    unit: "anchors",
    source: "Core MAX_BLOCK_RELAY_ONLY_ANCHORS"
  }
} satisfies Readonly<Record<string, Limit>>
