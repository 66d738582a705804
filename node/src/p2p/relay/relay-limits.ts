import type { Limit } from "@lockstep/protocol/wire/limits.ts"

/** Limits of the transaction relay. */
export const RELAY_LIMITS = {
  announcements: {
    most: 5_000,
    unit: "announced transactions kept for a peer",
    source: "Core MAX_PEER_TX_ANNOUNCEMENTS"
  },
  announcementsOfAll: {
    most: 200_000,
    unit: "announcements of all peers before each inbound peer may have fewer",
    source: "CVE-2018-17145: InvDoS"
  },
  announcementsInCrowd: {
    most: 1_000,
    unit: "announcements kept for an inbound peer from then on",
    source: "CVE-2018-17145: InvDoS"
  },
  inFlight: {
    most: 100,
    unit: "requests in flight before a peer counts as overloaded",
    source: "Core MAX_PEER_TX_REQUEST_IN_FLIGHT"
  },
  requestTime: { most: 60_000, unit: "milliseconds for a transaction to come", source: "Core GETDATA_TX_INTERVAL" },
  inboundDelay: {
    most: 2_000,
    unit: "milliseconds that requests to inbound peers are delayed",
    source: "Core NONPREF_PEER_TX_DELAY"
  },
  txidDelay: {
    most: 2_000,
    unit: "milliseconds that requests by txid are delayed",
    source: "Core TXID_RELAY_DELAY"
  },
  crowdedDelay: {
    most: 2_000,
    unit: "milliseconds that requests to an overloaded peer are delayed",
    source: "Core OVERLOADED_PEER_TX_DELAY"
  },
  getdata: { most: 1_000, unit: "entries of one request", source: "Core MAX_GETDATA_SZ" },
  inboundTrickle: {
    most: 5_000,
    unit: "milliseconds between announcements to inbound peers",
    source: "Core INBOUND_INVENTORY_BROADCAST_INTERVAL"
  },
  outboundTrickle: {
    most: 2_000,
    unit: "milliseconds between announcements to outbound peers",
    source: "Core OUTBOUND_INVENTORY_BROADCAST_INTERVAL"
  },
  trickle: {
    most: 70,
    unit: "transactions announced at a time while few wait",
    source: "Core INVENTORY_BROADCAST_TARGET"
  },
  trickleAtMost: {
    most: 1_000,
    unit: "transactions announced at a time while many wait",
    source: "Core INVENTORY_BROADCAST_MAX; inv-to-send"
  },
  rebroadcast: {
    most: 10 * 60_000,
    unit: "milliseconds, at least, between rebroadcasts of own transactions",
    source: "Core ReattemptInitialBroadcast"
  },
  rebroadcastSpread: {
    most: 5 * 60_000,
    unit: "milliseconds added to that at random",
    source: "Core ReattemptInitialBroadcast"
  },
  candidates: {
    most: 10_000,
    unit: "transactions, of a longer queue, that an announcement is chosen from",
    source: "Core sorts the whole queue"
  },
  matchedAtATime: {
    most: 50,
    unit: "transactions matched with a bloom filter before other peers have their turn",
    source: "hostile: filter floods"
  },
  matchedSize: {
    most: 1_000_000,
    unit: "virtual bytes of transactions fetched together for a bloom filter, the last one beyond it",
    source: "hostile: filter floods"
  },
  inventory: { most: 50_000, unit: "entries of one announcement", source: "Core MAX_INV_SZ" },
  notFound: {
    most: 5_016,
    unit: "entries of an answer that something is not there",
    source: "Core MAX_PEER_TX_ANNOUNCEMENTS and MAX_BLOCKS_IN_TRANSIT_PER_PEER"
  },
  known: {
    most: 50_000,
    unit: "transactions that a peer is known to have",
    source: "Core m_tx_inventory_known_filter"
  },
  rejects: {
    most: 120_000,
    unit: "refused transactions that are remembered, for good and until they come with a child",
    source: "Core RecentRejectsFilter and RecentRejectsReconsiderableFilter"
  },
  confirmed: {
    most: 48_000,
    unit: "confirmed transactions that are remembered",
    source: "Core RecentConfirmedTransactionsFilter"
  },
  weight: { most: 400_000, unit: "weight of a transaction that is looked at", source: "Core MAX_STANDARD_TX_WEIGHT" },
  orphanWeight: {
    most: 404_000,
    unit: "weight of orphans kept, times the peers that announced some",
    source: "Core DEFAULT_RESERVED_ORPHAN_WEIGHT_PER_PEER"
  },
  orphanAnnouncements: {
    most: 3_000,
    unit: "announcements of orphans kept, each counted once more for every ten inputs",
    source: "Core DEFAULT_MAX_ORPHANAGE_LATENCY_SCORE; CVE-2024-52914: bounded work for orphans"
  },
  feeFilterSoon: {
    most: 5 * 60_000,
    unit: "milliseconds before a fee filter far from the last one is sent",
    source: "Core MAX_FEEFILTER_CHANGE_DELAY"
  },
  feeFilterLeast: {
    most: 100,
    unit: "satoshis of twice the first step of fee filters",
    source: "Core FeeFilterRounder: DEFAULT_MIN_RELAY_TX_FEE"
  },
  feeFilterMost: {
    most: 10_000_000,
    unit: "satoshis of the last step of fee filters at most",
    source: "Core MAX_FILTER_FEERATE"
  },
  poolRateAge: {
    most: 10_000,
    unit: "milliseconds until a rate above zero that the mempool asks for is looked up again",
    source: "Core CTxMemPool::GetMinFee: it falls every 10 s"
  },
  feeFilterInterval: {
    most: 10 * 60_000,
    unit: "milliseconds between fee filters",
    source: "Core AVG_FEEFILTER_BROADCAST_INTERVAL"
  },
  highestAmount: { most: 2_100_000_000_000_000, unit: "satoshis", source: "Core MAX_MONEY" }
} satisfies Readonly<Record<string, Limit>>

/**
 * Fee filter that stops all announcements while nothing is accepted: Core's rounded MAX_MONEY, in satoshis per 1,000
 * virtual bytes.
 */
export const NOTHING_WANTED = 9_936_506n
