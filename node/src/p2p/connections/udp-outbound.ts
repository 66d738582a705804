import { isLocal } from "../../net/address-place.ts"
import { type Endpoint, isOverTcp, type TransportName, transportNameOf } from "../../net/endpoint.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import { PREFIX_GROUPS } from "../../net/net-groups.ts"
import type { UnixMilliseconds } from "../../quantities.ts"
import type { UdpBook } from "../addresses/udp/udp-book.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import type { ConnectionCensus } from "./connection-census.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Dialer } from "./dialer.ts"
import type { Reputation } from "./reputation.ts"
import type { Slots } from "./slots.ts"

export interface UdpOutboundOptions {
  readonly context: P2pContext
  readonly book: UdpBook
  readonly dialer: Dialer
  readonly census: ConnectionCensus
  readonly reputation: Reputation
  readonly slots: Slots
  readonly transportNames: ReadonlyArray<TransportName>
  /** Returns the endpoints at which this node listens over QUIC and Iroh. */
  readonly listening: () => ReadonlyArray<Endpoint>
}

const { udpDialInterval, udpOutbound } = CONNECTION_LIMITS

const isAutomaticOverUdp = (one: Pick<Peer, "endpoint" | "kind">): boolean =>
  one.kind === "outbound-full-relay" && !isOverTcp(one.endpoint)

/** Fills outbound slots with nodes over QUIC and Iroh: two beside TCP, or all of them without TCP. */
export const udpOutboundTick = (
  { book, census, context, dialer, listening, reputation, slots, transportNames }: UdpOutboundOptions
): (now: UnixMilliseconds) => void => {
  const { peers } = context
  const { group } = context.groups ?? PREFIX_GROUPS
  const most = transportNames.includes("tcp") ? Math.min(udpOutbound.most, slots.fullRelay) : slots.fullRelay
  let next = 0

  const isMissing = (): boolean => {
    const open = [...peers.values()].filter((peer) => !peer.isGone && isAutomaticOverUdp(peer)).length
    const begun = [...dialer.underWay.values()].filter(isAutomaticOverUdp).length
    return open + begun < most && census.count("outbound-full-relay") < slots.fullRelay
  }

  const isFree = (endpoint: Endpoint): boolean => {
    const { address } = endpoint
    if (
      !transportNames.includes(transportNameOf(endpoint)) || reputation.isBanned(address) ||
      reputation.discouraged.has(address)
    ) {
      return false
    }
    const identity = (endpoint.quic ?? endpoint.iroh)?.identity
    const isTaken = [...peers.values()].some(({ endpoint: { iroh, quic } }) => (quic ?? iroh)?.identity === identity)
    const isOwn = listening().some((own) => endpointText(own) === endpointText(endpoint))
    return !isTaken && !isOwn && (isLocal(address) || !census.groups().has(group(address)))
  }

  return (now) => {
    if (now < next) return
    next = now + udpDialInterval.most
    if (!isMissing()) return
    const endpoint = book.choose(isFree)
    if (endpoint === undefined) return
    dialer.dial(
      { endpoint, kind: "outbound-full-relay", isV2: false },
      (error) => book.attempted(endpoint, error === undefined)
    )
  }
}
