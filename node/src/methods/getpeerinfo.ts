import type { Milliseconds, UnixMilliseconds } from "../quantities.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { assignedServiceNames, peerServiceNames } from "@lockstep/protocol/wire/services.ts"
import * as Schema from "effect/Schema"
import type { NetworkService } from "../p2p/layer/network.ts"
import type { Peer } from "../p2p/peer/peer.ts"
import { ALL_PERMISSIONS } from "../net/peer-permissions.ts"
import { endpointText, networkName } from "../net/endpoint-text.ts"
import { openConnections } from "../p2p/peer/open-connections.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { Amount, Hex, optionalDescribed, Time, described } from "../answers/result-schema.ts"
import { fromNetwork } from "./network/running-network.ts"
import { servicesHex } from "./network/services-hex.ts"

const CompactBlocks = Schema.Struct({
  received: described(Schema.Number, "Compact blocks from it that were looked at"),
  rebuilt: described(Schema.Number, "Of those, blocks that were put together without a request"),
  requested: described(Schema.Number, "Of those, blocks that were put together after a request for transactions"),
  failed: described(Schema.Number, "Of those, blocks that could not be put together"),
  announced: described(Schema.Number, "Compact blocks that were sent to it unrequested")
})

const Filters = Schema.Struct({
  bloom: described(Schema.Boolean, "Whether it has set a bloom filter"),
  merkleblock: described(Schema.Number, "Blocks that were sent to it as its bloom filter shows them"),
  cfilter: described(Schema.Number, "Filters of blocks that were sent to it"),
  cfheaders: described(Schema.Number, "Ranges of headers of filters that were sent to it"),
  cfcheckpt: described(Schema.Number, "Lists of checkpoints of filters that were sent to it")
})

const PeerInfo = Schema.Struct({
  id: described(Schema.Number, "The number of the peer"),
  addr: described(Schema.String, "Its address and port"),
  addrbind: optionalDescribed(Schema.String, "This node's end of the connection"),
  addrlocal: optionalDescribed(Schema.String, "This node's address as the peer sees it"),
  network: described(Schema.String, "Its network (ipv4, ipv6, onion, i2p, cjdns, not_publicly_routable)"),
  mapped_as: optionalDescribed(Schema.Number, "The autonomous system that routes its address, where there is a map"),
  services: described(Hex, "What it offers"),
  servicesnames: described(
    Schema.Array(Schema.String),
    "The same, by what the bits mean for its software; with a question mark where no standard assigns them"
  ),
  relaytxes: described(Schema.Boolean, "Whether transactions are announced to it"),
  last_inv_sequence: described(
    Schema.Number,
    "The mempool's sequence number when transactions were last announced to it"
  ),
  inv_to_send: described(Schema.Number, "Transactions that are still to be announced to it"),
  lastsend: described(Time, "When something was last sent to it"),
  lastrecv: described(Time, "When something last came from it"),
  last_transaction: described(Time, "When it last sent a transaction that was valid and new"),
  last_block: described(Time, "When it last sent a block that was valid and new"),
  bytessent: described(Schema.Number, "Bytes sent to it"),
  bytesrecv: described(Schema.Number, "Bytes received from it"),
  conntime: described(Time, "When it was connected"),
  timeoffset: described(Schema.Number, "The seconds that its clock is ahead of this node's"),
  pingtime: optionalDescribed(Schema.Number, "Seconds that its last answer to a ping took"),
  minping: optionalDescribed(Schema.Number, "The least of these"),
  pingwait: optionalDescribed(Schema.Number, "Seconds that an answer to a ping has been awaited"),
  version: described(Schema.Number, "The version of the protocol that it speaks"),
  subver: described(Schema.String, "Its user agent"),
  inbound: described(Schema.Boolean, "Whether it opened the connection"),
  bip152_hb_to: described(Schema.Boolean, "Whether this node chose it for high-bandwidth compact blocks"),
  bip152_hb_from: described(Schema.Boolean, "Whether it chose this node for them"),
  presynced_headers: described(Schema.Number, "The height that header presync has reached; -1: there is none"),
  synced_headers: described(Schema.Number, "The height of the last header that both have; -1: not known"),
  synced_blocks: described(Schema.Number, "The height of the last block that both have; -1: not known"),
  inflight: described(Schema.Array(Schema.Number), "Heights of blocks that were requested from it"),
  addr_relay_enabled: described(Schema.Boolean, "Whether addresses are relayed with it"),
  addr_processed: described(Schema.Number, "Addresses from it that were processed"),
  addr_rate_limited: described(Schema.Number, "Addresses from it that were dropped by the rate limit"),
  permissions: described(Schema.Array(Schema.String), "What it may do beyond other peers"),
  minfeefilter: described(
    Amount,
    "The lowest fee rate of transactions it wants announced, in BTC for a thousand virtual bytes"
  ),
  bytessent_per_msg: described(Schema.Record(Schema.String, Schema.Number), "Bytes sent to it, by command"),
  bytesrecv_per_msg: described(Schema.Record(Schema.String, Schema.Number), "Bytes received from it, by command"),
  connection_type: described(
    Schema.String,
    "inbound, outbound-full-relay, block-relay-only, manual, feeler, addr-fetch or private-broadcast"
  ),
  transport_protocol_type: described(
    Schema.String,
    "v1: not encrypted; v2: encrypted; quic, iroh: over QUIC or Iroh, which encrypt by themselves; detecting: not known yet"
  ),
  session_id: described(
    Schema.String,
    "What both sides know an encrypted connection by; they compare it to rule out a man in the middle"
  ),
  quic_identity: optionalDescribed(
    Schema.String,
    "Over QUIC: the identity that the certificate of the peer has proved"
  ),
  iroh_identity: optionalDescribed(Schema.String, "Over Iroh: the key that the peer has proved, in hexadecimal digits"),
  compact_blocks: optionalDescribed(CompactBlocks, "Compact blocks with this peer; not in bitcoind"),
  filters: optionalDescribed(Filters, "Filters with this peer; not in bitcoind")
})

/** Permissions of a peer that is trusted by its address. */
const TRUSTED: ReadonlySet<string> = new Set(["noban", "relay", "mempool", "download"])

const permissionsOf = (peer: Peer, relaysTransactions: boolean): ReadonlyArray<string> => {
  const isByAddress = peer.isTrusted && !peer.permissions.has("noban")
  return ALL_PERMISSIONS.filter((name) =>
    peer.permissions.has(name) || (isByAddress && TRUSTED.has(name) && (name !== "relay" || relaysTransactions))
  )
}

/** Shown for an unknown height. */
const UNKNOWN = -1

const seconds = (milliseconds: Milliseconds): number => Math.floor(milliseconds / 1_000)

const perCommand = (table: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...table].toSorted(([a], [b]) => a < b ? -1 : 1))

const pingTime = (milliseconds: Milliseconds | undefined): number | undefined =>
  milliseconds === undefined ? undefined : milliseconds / 1_000

/** Returns the facts that a peer sent in its handshake, or defaults before that. */
const sayingsOf = ({ hello }: Peer) => ({
  services: hello?.services ?? 0n,
  timeOffset: hello?.timeOffset ?? 0,
  version: hello?.ownVersion ?? 0,
  userAgent: hello?.userAgent ?? "",
  addressSeen: hello?.addressSeen
})

const pingsOf = ({ latency: { last, least, waitingSince } }: Peer, now: UnixMilliseconds) => ({
  pingtime: pingTime(last),
  minping: pingTime(least),
  pingwait: waitingSince === undefined ? undefined : pingTime(Math.max(0, now - waitingSince))
})

/** Returns the members that Bitcoin Core does not have. */
const ownFiguresOf = (
  peer: Peer,
  { figures }: NetworkService
): Pick<typeof PeerInfo.Type, "compact_blocks" | "filters"> => {
  const { announced, failed, received, withoutRequest, withRequest } = figures.sync(peer).compactBlocks
  return {
    compact_blocks: { received, rebuilt: withoutRequest, requested: withRequest, failed, announced },
    filters: { bloom: figures.relay(peer).isFiltered, ...figures.filters(peer) }
  }
}

const infoOf = (
  peer: Peer,
  { environment, figures, groups, relaysTransactions }: NetworkService,
  isStandIn: boolean
): typeof PeerInfo.Type => {
  const { traffic } = peer
  const { addressSeen, services, timeOffset, userAgent, version } = sayingsOf(peer)
  const sync = figures.sync(peer)
  const relay = figures.relay(peer)
  const addresses = figures.addresses(peer)
  return {
    id: peer.id,
    addr: peer.writtenAs ?? peer.name,
    addrbind: peer.local === undefined ? undefined : endpointText(peer.local),
    addrlocal: addressSeen === undefined ? undefined : endpointText(addressSeen),
    network: peer.network ??
      (isRoutable(peer.endpoint.address) ? networkName(peer.endpoint.address) : "not_publicly_routable"),
    mapped_as: groups.asn(peer.endpoint.address),
    services: servicesHex(services),
    servicesnames: isStandIn ? assignedServiceNames(services) : peerServiceNames(services, userAgent),
    relaytxes: relay.isAnnouncedTo,
    last_inv_sequence: relay.announcedSequence,
    inv_to_send: relay.waiting,
    lastsend: seconds(traffic.lastSend),
    lastrecv: seconds(traffic.lastReceive),
    last_transaction: seconds(traffic.lastTransaction),
    last_block: seconds(traffic.lastBlock),
    bytessent: traffic.bytesSent,
    bytesrecv: traffic.bytesReceived,
    conntime: seconds(peer.connectedAt),
    timeoffset: timeOffset,
    ...pingsOf(peer, environment.now()),
    version,
    subver: userAgent,
    inbound: peer.inbound,
    bip152_hb_to: sync.isHighBandwidth,
    bip152_hb_from: sync.choseUs,
    presynced_headers: sync.presyncedHeight ?? UNKNOWN,
    synced_headers: sync.headersHeight ?? UNKNOWN,
    synced_blocks: sync.blocksHeight ?? UNKNOWN,
    inflight: sync.inFlight,
    addr_relay_enabled: addresses.isRelayed,
    addr_processed: addresses.processed,
    addr_rate_limited: addresses.limited,
    permissions: permissionsOf(peer, relaysTransactions),
    minfeefilter: amount(relay.leastFeerate),
    bytessent_per_msg: perCommand(traffic.sentPerCommand),
    bytesrecv_per_msg: perCommand(traffic.receivedPerCommand),
    connection_type: peer.kind,
    transport_protocol_type: peer.transport.kind(),
    session_id: Buffer.from(peer.transport.sessionId() ?? []).toString("hex"),
    quic_identity: peer.endpoint.quic?.identity,
    iroh_identity: peer.endpoint.iroh?.identity
  }
}

export const getpeerinfo = method({
  name: "getpeerinfo",
  category: "network",
  privilege: "anyone",
  description: "Answers what is known of each node that the node is connected to.",
  parameters: {},
  result: Schema.Array(PeerInfo),
  examples: [{ params: [] }],
  call: (_, node) =>
    fromNetwork(node, (network) =>
      openConnections(network.peers).map((peer) => ({
        ...infoOf(peer, network, node.isStandIn),
        ...(node.isStandIn ? {} : ownFiguresOf(peer, network))
      })))
})
