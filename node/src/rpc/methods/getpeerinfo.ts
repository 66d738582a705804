import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { serviceNames } from "@lockstep/protocol/wire/services.ts"
import * as Schema from "effect/Schema"
import type { NetworkService } from "../../p2p/network.ts"
import type { Peer } from "../../p2p/peer/peer.ts"
import { endpointText, networkName } from "../../p2p/endpoint/endpoint-text.ts"
import { amount } from "../json/number-text.ts"
import { method } from "../method/method.ts"
import { Amount, Hex, maybe, Time, told } from "../method/result-schema.ts"
import { fromNetwork } from "./running-network.ts"
import { servicesHex } from "./services-hex.ts"

const PeerInfo = Schema.Struct({
  id: told(Schema.Number, "A number of its own"),
  addr: told(Schema.String, "Its address and port"),
  addrbind: maybe(Schema.String, "Our end of the connection"),
  addrlocal: maybe(Schema.String, "Our address as it sees us"),
  network: told(Schema.String, "ipv4, ipv6, onion, i2p, cjdns, or not_publicly_routable"),
  services: told(Hex, "What it offers"),
  servicesnames: told(Schema.Array(Schema.String), "The same, by name"),
  relaytxes: told(Schema.Boolean, "Whether it is told of transactions"),
  last_inv_sequence: told(Schema.Number, "The mempool's number when it was last told of transactions"),
  inv_to_send: told(Schema.Number, "Transactions that it is to be told of"),
  lastsend: told(Time, "When something was last sent to it"),
  lastrecv: told(Time, "When something last came from it"),
  last_transaction: told(Time, "When it last sent a transaction that was valid and new"),
  last_block: told(Time, "When it last sent a block that was valid and new"),
  bytessent: told(Schema.Number, "Bytes sent to it"),
  bytesrecv: told(Schema.Number, "Bytes received from it"),
  conntime: told(Time, "When it was connected"),
  timeoffset: told(Schema.Number, "The seconds that its clock is ahead of ours"),
  pingtime: maybe(Schema.Number, "Seconds that its last answer to a ping took"),
  minping: maybe(Schema.Number, "The least of these"),
  pingwait: maybe(Schema.Number, "Seconds that an answer to a ping has been awaited"),
  version: told(Schema.Number, "The version of the protocol that it speaks"),
  subver: told(Schema.String, "How it calls itself"),
  inbound: told(Schema.Boolean, "Whether it opened the connection"),
  bip152_hb_to: told(Schema.Boolean, "Whether we asked it to send compact blocks at once"),
  bip152_hb_from: told(Schema.Boolean, "Whether it asked us to"),
  presynced_headers: told(Schema.Number, "The height of headers that are looked at before any is kept; -1: none are"),
  synced_headers: told(Schema.Number, "The height of the last header that both have; -1: not known"),
  synced_blocks: told(Schema.Number, "The height of the last block that both have; -1: not known"),
  inflight: told(Schema.Array(Schema.Number), "Heights of blocks that it was asked for"),
  addr_relay_enabled: told(Schema.Boolean, "Whether addresses go to and fro"),
  addr_processed: told(Schema.Number, "Addresses of it that were looked at"),
  addr_rate_limited: told(Schema.Number, "Addresses of it that were left out since they were too many"),
  permissions: told(Schema.Array(Schema.String), "What it may do beyond others"),
  minfeefilter: told(Amount, "The lowest fee rate of transactions that it wants, in BTC for a thousand virtual bytes"),
  bytessent_per_msg: told(Schema.Record(Schema.String, Schema.Number), "Bytes sent to it, by command"),
  bytesrecv_per_msg: told(Schema.Record(Schema.String, Schema.Number), "Bytes received from it, by command"),
  connection_type: told(
    Schema.String,
    "inbound, outbound-full-relay, block-relay-only, manual, feeler or addr-fetch"
  ),
  transport_protocol_type: told(Schema.String, "v1: not encrypted"),
  session_id: told(Schema.String, "Empty: only encrypted connections have one")
})

/** What an operator's trust is in the words of the reference node. */
const TRUSTED = ["noban", "relay", "mempool", "download"]

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000)

const perCommand = (table: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...table].toSorted(([a], [b]) => a < b ? -1 : 1))

const pingTime = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : milliseconds / 1_000

/** What it said of itself; a peer that has said nothing yet offers nothing. */
const sayingsOf = ({ hello }: Peer) => ({
  services: hello?.services ?? 0n,
  timeOffset: hello?.timeOffset ?? 0,
  version: hello?.ownVersion ?? 0,
  userAgent: hello?.userAgent ?? "",
  addressSeen: hello?.addressSeen
})

const pingsOf = ({ latency: { last, least, waitingSince } }: Peer, now: number) => ({
  pingtime: pingTime(last),
  minping: pingTime(least),
  pingwait: waitingSince === undefined ? undefined : pingTime(Math.max(0, now - waitingSince))
})

const infoOf = (peer: Peer, { environment, figures }: NetworkService): typeof PeerInfo.Type => {
  const { traffic } = peer
  const { addressSeen, services, timeOffset, userAgent, version } = sayingsOf(peer)
  const sync = figures.sync(peer)
  const relay = figures.relay(peer)
  return {
    id: peer.id,
    addr: peer.writtenAs ?? peer.name,
    addrbind: peer.local === undefined ? undefined : endpointText(peer.local),
    addrlocal: addressSeen === undefined ? undefined : endpointText(addressSeen),
    network: isRoutable(peer.endpoint.address) ? networkName(peer.endpoint.address) : "not_publicly_routable",
    services: servicesHex(services),
    servicesnames: serviceNames(services),
    relaytxes: relay.relaytxes,
    last_inv_sequence: relay.last_inv_sequence,
    inv_to_send: relay.inv_to_send,
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
    bip152_hb_to: sync.bip152_hb_to,
    bip152_hb_from: sync.bip152_hb_from,
    presynced_headers: sync.presynced_headers,
    synced_headers: sync.synced_headers,
    synced_blocks: sync.synced_blocks,
    inflight: sync.inflight,
    ...figures.addresses(peer),
    permissions: peer.isTrusted ? TRUSTED : [],
    minfeefilter: amount(relay.minfeefilter),
    bytessent_per_msg: perCommand(traffic.sentPerCommand),
    bytesrecv_per_msg: perCommand(traffic.receivedPerCommand),
    connection_type: peer.kind,
    transport_protocol_type: "v1",
    session_id: ""
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
  call: (_, node) => fromNetwork(node, (network) => [...network.peers.values()].map((peer) => infoOf(peer, network)))
})
