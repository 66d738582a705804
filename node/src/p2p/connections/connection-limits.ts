import type { Limit } from "@lockstep/protocol/wire/limits.ts"
import { MILLISECONDS } from "../../units.ts"

/** Limits on connections and on the rate of attempts. */
export const CONNECTION_LIMITS = {
  fullRelay: {
    most: 8,
    unit: "outbound full-relay connections",
    source: "Core MAX_OUTBOUND_FULL_RELAY_CONNECTIONS"
  },
  blockRelay: {
    most: 2,
    unit: "outbound block-relay-only connections",
    source: "Core MAX_BLOCK_RELAY_ONLY_CONNECTIONS"
  },
  feelers: {
    most: 1,
    unit: "feeler connections at a time",
    source: "Core MAX_FEELER_CONNECTIONS"
  },
  anchors: {
    most: 2,
    unit: "block-relay-only peers to connect to first after the next start",
    source: "Core MAX_BLOCK_RELAY_ONLY_ANCHORS"
  },
  manual: { most: 8, unit: "connections an operator asked for", source: "Core MAX_ADDNODE_CONNECTIONS" },
  added: { most: 1_000, unit: "nodes an operator may ask for", source: "a list must end" },
  feelerInterval: {
    most: 2 * MILLISECONDS.minute,
    unit: "milliseconds between feelers, on average",
    source: "Core FEELER_INTERVAL"
  },
  extraBlockRelayInterval: {
    most: 5 * MILLISECONDS.minute,
    unit: "milliseconds between extra block-relay-only peers, on average",
    source: "Core EXTRA_BLOCK_RELAY_ONLY_PEER_INTERVAL"
  },
  extraNetworkInterval: {
    most: 5 * MILLISECONDS.minute,
    unit: "milliseconds between attempts to reach another network, on average",
    source: "Core EXTRA_NETWORK_PEER_INTERVAL"
  },
  extraPeerCheck: {
    most: 45 * MILLISECONDS.second,
    unit: "milliseconds between checks for extra peers",
    source: "Core EXTRA_PEER_CHECK_INTERVAL"
  },
  extraPeerAge: {
    most: 30 * MILLISECONDS.second,
    unit: "milliseconds before an extra peer is judged",
    source: "Core MINIMUM_CONNECT_TIME"
  },
  dialInterval: {
    most: MILLISECONDS.second / 2,
    unit: "milliseconds between attempts",
    source: "Core ThreadOpenConnections"
  },
  udpDialInterval: {
    most: 5 * MILLISECONDS.second,
    unit: "milliseconds between automatic attempts over QUIC and Iroh",
    source: "choice: there are few such nodes"
  },
  udpOutbound: {
    most: 2,
    unit: "automatic outbound connections over QUIC and Iroh beside TCP",
    source: "choice: most slots stay with addrman, which is harder to fill"
  },
  dialsAtOnce: { most: 16, unit: "attempts under way", source: "an attempt takes up to 25 s through a proxy" },
  triesPerDial: { most: 100, unit: "addresses looked at for one attempt", source: "Core ThreadOpenConnections" },
  recentTry: {
    most: 10 * MILLISECONDS.minute,
    unit: "milliseconds before the same address is tried again",
    source: "Core ThreadOpenConnections"
  },
  recentTryTries: {
    most: 30,
    unit: "addresses examined until a recently tried one is accepted, with that one",
    source: "Core ThreadOpenConnections"
  },
  badPortTries: {
    most: 50,
    unit: "addresses examined until one with a bad port is accepted, with that one",
    source: "Core ThreadOpenConnections"
  },
  retryLeast: {
    most: MILLISECONDS.second,
    unit: "milliseconds before a lost manual peer is dialed again",
    source: "contract: backoff"
  },
  retryMost: {
    most: MILLISECONDS.minute,
    unit: "milliseconds between such attempts at most",
    source: "Core ThreadOpenAddedConnections"
  },
  addrFetchTime: {
    most: 5 * MILLISECONDS.minute,
    unit: "milliseconds a peer has to send addresses",
    source: "Core: ten times AVG_ADDRESS_BROADCAST_INTERVAL"
  },
  seedWait: {
    most: 11 * MILLISECONDS.second,
    unit: "milliseconds before DNS seeds are queried",
    source: "Core DNSSEEDS_DELAY_FEW_PEERS"
  },
  seedWaitOfMany: {
    most: 5 * MILLISECONDS.minute,
    unit: "milliseconds before DNS seeds are queried while many nodes are known",
    source: "Core DNSSEEDS_DELAY_MANY_PEERS"
  },
  seedsOfMany: { most: 1_000, unit: "nodes that are many", source: "Core DNSSEEDS_DELAY_PEER_THRESHOLD" },
  fixedSeedWait: {
    most: MILLISECONDS.minute,
    unit: "milliseconds before fixed seeds are used",
    source: "Core ThreadOpenConnections"
  },
  inboundPerAddress: {
    most: 32,
    unit: "inbound connections of one address outside this machine",
    source: "hostile: half-open floods"
  },
  inboundRate: { most: 60, unit: "inbound connections of one address a minute", source: "hostile: connection floods" },
  evictionRate: {
    most: 50,
    unit: "inbound peers evicted a second",
    source: "hostile: connection floods; further connections are refused without a search for a victim"
  },
  recentAddresses: { most: 4_096, unit: "addresses whose connections are counted", source: "a table must end" },
  handshakePatience: {
    most: 5 * MILLISECONDS.second,
    unit: "milliseconds without a handshake before eviction while all slots are taken",
    source: "hostile: half-open floods"
  },
  discouraged: { most: 50_000, unit: "addresses not welcome for a while", source: "Core: a rolling filter of 50,000" },
  bans: { most: 10_000, unit: "addresses and subnets on the ban list", source: "CVE-2020-14198" },
  banTime: { most: 24 * MILLISECONDS.hour, unit: "milliseconds of a ban", source: "Core DEFAULT_MISBEHAVING_BANTIME" }
} satisfies Readonly<Record<string, Limit>>
