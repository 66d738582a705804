import * as Effect from "effect/Effect"
import { type AddressKind, addressKind, fitsOldForm } from "@lockstep/protocol/wire/address/address-kind.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { limitsToSend } from "@lockstep/protocol/wire/limits.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { addressText, endpointKey, endpointText } from "../../net/endpoint-text.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { PeerPart } from "../peer/peer-part.ts"
import { connectedThrough, isFullRelay, type Peer } from "../peer/peer.ts"
import type { AddressFigures } from "./address-figures.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { secondsOf, type UnixSeconds } from "../../quantities.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { ADDRESS_LIMITS } from "./address-limits.ts"
import type { AddressBook } from "./address-book.ts"
import { answerCache } from "./answer-cache.ts"
import { type PeerAddresses, peerAddresses, refill } from "./peer-addresses.ts"
import { relayTargets } from "./relay-targets.ts"
import type { UdpGossip } from "./udp/udp-gossip.ts"
import { SECONDS } from "../../units.ts"

export interface AddressesPartOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  readonly reachable: ReadonlySet<AddressKind>
  /** True if the address is banned or discouraged, so that it is not relayed. */
  readonly isShunned: (address: NetworkAddress) => boolean
  /** Returns the own address that this node advertises to a peer, if any. */
  readonly own: (peer: Peer) => Endpoint | undefined
  /** Gossip of addresses of nodes over QUIC and Iroh; absent if such addresses are not understood. */
  readonly udp?: UdpGossip | undefined
}

export interface AddressesPart extends PeerPart {
  readonly figures: (peer: Peer) => AddressFigures
}

/** Seconds by which gossiped addresses count as older: peers may have them from other peers. */
const HEARSAY_PENALTY = 2 * SECONDS.hour
const SEND_INTERVAL = 30_000
const OWN_INTERVAL = SECONDS.day * 1_000

const { answered, relayed, waiting } = ADDRESS_LIMITS

const mayServe = (services: bigint): boolean =>
  offers(services, ServiceFlag.NETWORK) || offers(services, ServiceFlag.NETWORK_LIMITED)

/**
 * Returns the time to record: an impossible time, or one more than ten minutes in the future, is replaced by an old
 * one.
 */
const believed = ({ time }: KnownAddress, now: UnixSeconds): number =>
  time <= 100_000_000 || time > now + 10 * SECONDS.minute ? now - 5 * SECONDS.day : time

/** True if a peer understands the format of an address. */
const fits = (peer: Peer, { address }: KnownAddress): boolean =>
  peer.hello?.wantsAddrV2 === true || fitsOldForm(address)

const sendAddresses = (peer: Peer, { known }: PeerAddresses, addresses: ReadonlyArray<KnownAddress>): void => {
  if (addresses.length === 0) return
  for (const address of addresses) known.add(endpointKey(address))
  peer.send({ command: peer.hello?.wantsAddrV2 === true ? "addrv2" : "addr", addresses })
}

/** Exchanges addresses with peers: relays a few, answers `getaddr` with many, and bounds the cost of each peer. */
export const addressesPart = (
  { book, context, isShunned, own, reachable, udp }: AddressesPartOptions
): AddressesPart => {
  const { crypto, environment: { random, now }, peers, services, notify } = context
  const limits = limitsToSend(context.limits)
  const clock = nodeClock(context)
  const states = new Map<number, PeerAddresses>()
  const answers = answerCache(book, random)
  const key = random.bytes(16)

  const stateOf = (peer: Peer): PeerAddresses => {
    const found = states.get(peer.id)
    if (found !== undefined) return found
    const made = peerAddresses(now())
    states.set(peer.id, made)
    return made
  }

  const understands = (peer: Peer, address: KnownAddress): boolean =>
    fits(peer, address) && udp?.fits(peer, address) !== false

  /** Queues an address for the peer's next turn. */
  const queue = (peer: Peer, address: KnownAddress): void => {
    const state = stateOf(peer)
    if (!understands(peer, address) || state.known.has(endpointKey(address))) return
    if (state.waiting.length < waiting.most) state.waiting.push(address)
    else state.waiting[random.below(waiting.most)] = address
  }

  const passOn = (from: Peer, address: KnownAddress): void => {
    const kind = addressKind(address.address)
    const others = [...peers.values()].filter((peer) =>
      peer !== from && peer.isReady && !peer.isGone && stateOf(peer).isEnabled && understands(peer, address)
    )
    const isReachable = kind !== undefined && reachable.has(kind)
    for (const peer of relayTargets(crypto, key, address, others, isReachable, now())) queue(peer, address)
  }

  const enable = (peer: Peer): void => {
    stateOf(peer).isEnabled = true
  }

  const ask = (peer: Peer): void => {
    const state = stateOf(peer)
    peer.send({ command: "getaddr" })
    state.isAsked = true
    // The answer must not count against the peer's rate limit.
    state.tokens += answered.most
  }

  /** Accepts as many addresses as the peer's rate limit allows. Returns those worth keeping. */
  const accept = (
    peer: Peer,
    state: PeerAddresses,
    received: ReadonlyArray<KnownAddress>
  ): ReadonlyArray<KnownAddress> => {
    const seconds = secondsOf(clock())
    const isLimited = !peer.permissions.has("addr")
    const most = Math.floor(state.tokens)
    const kept: Array<KnownAddress> = []
    const order = received.map((address) => address)
    for (let i = 0; i < order.length; i++) {
      const j = i + random.below(order.length - i)
      const given = order[j]!
      order[j] = order[i]!
      if (isLimited && state.tokens < 1) {
        // One event for each peer is enough.
        if (state.limited === 0) {
          notify.event("RateLimitExceeded", { peer: peer.name, limit: "addresses", current: received.length, most })
        }
        state.limited += order.length - i
        break
      }
      state.tokens--
      if (!mayServe(given.services)) continue
      const address = { ...given, time: believed(given, seconds) }
      state.known.add(endpointKey(address))
      if (isShunned(address.address)) continue
      state.processed++
      const isUdp = udp?.take(peer, address, isShunned) === true
      if (!isUdp && !isRoutable(address.address)) continue
      const isFresh = address.time > seconds - 10 * SECONDS.minute
      if (isFresh && !state.isAsked && received.length <= relayed.most) passOn(peer, address)
      const kind = addressKind(address.address)
      if (kind !== undefined && reachable.has(kind)) kept.push(address)
    }
    return kept
  }

  const handleAddresses = (peer: Peer, message: MessageOf<"addr"> | MessageOf<"addrv2">): void => {
    const { addresses: received, command } = message
    if (peer.kind === "block-relay-only") {
      return notify.trace?.({ _tag: "AddressesIgnored", peer: peer.id, command })
    }
    enable(peer)
    const state = stateOf(peer)
    refill(state, now())
    const before = { limited: state.limited, processed: state.processed }
    const kept = accept(peer, state, received)
    const [limited, processed] = [state.limited - before.limited, state.processed - before.processed]
    notify.trace?.({ _tag: "AddressesReceived", peer: peer.id, received: received.length, processed, limited })
    const added = book.add(kept, peer.endpoint.address, HEARSAY_PENALTY)
    notify.trace?.({ _tag: "AddressesAdded", added, sent: kept.length, from: addressText(peer.endpoint.address) })
    if (received.length < answered.most) state.isAsked = false
    if (peer.kind === "addr-fetch" && received.length > 1) peer.disconnect({ _tag: "AddrFetchCompleted" })
  }

  const answer = (peer: Peer): void => {
    // Inbound peers only: otherwise an answer would reveal what the outbound peers sent.
    if (!peer.inbound) return notify.trace?.({ _tag: "GetAddrIgnored", peer: peer.id, kind: peer.kind })
    const state = stateOf(peer)
    enable(peer)
    if (state.wasAnswered) {
      notify.trace?.({ _tag: "GetAddrRepeated", peer: peer.id })
      return
    }
    state.wasAnswered = true
    state.waiting.length = 0
    const place = `${peer.local === undefined ? "" : endpointKey(peer.local)}|${connectedThrough(peer) ?? ""}`
    const chosen = peer.permissions.has("addr")
      ? answers.fresh(limits.addresses)
      : answers.cached(place, limits.addresses, now())
    for (const address of chosen) if (!isShunned(address.address)) queue(peer, address)
    for (const address of udp?.answer() ?? []) queue(peer, address)
  }

  const sendWaiting = (peer: Peer, state: PeerAddresses): void => {
    // An address that several peers sent is queued several times and sent once.
    const addresses = new Map(state.waiting.map((address) => [endpointKey(address), address]))
    state.waiting.length = 0
    const unknown = [...addresses].filter(([place]) => !state.known.has(place)).map(([, address]) => address)
    sendAddresses(peer, state, unknown.slice(0, limits.addresses))
  }

  const advertiseOwn = (peer: Peer, state: PeerAddresses, at: number): void => {
    // During the initial download nothing is advertised, and the next turn is not postponed.
    if (context.chain.state().initialBlockDownload) return
    const isFirst = state.nextOwn === 0
    state.nextOwn = at + random.exponential(OWN_INTERVAL)
    const endpoint = own(peer)
    const [offered, time] = [services(), secondsOf(clock())]
    const all: ReadonlyArray<KnownAddress> = [
      ...endpoint === undefined || !isRoutable(endpoint.address) ? [] : [{ ...endpoint, services: offered, time }],
      ...udp?.own(peer, offered, time) ?? []
    ]
    if (endpoint !== undefined && isRoutable(endpoint.address)) {
      notify.trace?.({ _tag: "AddressAdvertised", peer: peer.id, address: endpointText(endpoint) })
    }
    // The peer may accept a single address at first, so this node's own addresses precede all others.
    if (isFirst) return sendAddresses(peer, state, all.filter((address) => understands(peer, address)))
    // A peer that received them a day ago may have forgotten them.
    if (all.length > 0) state.known.clear()
    for (const address of all) queue(peer, address)
  }

  return {
    name: "addresses",
    handlers: {
      addr: (peer, message) => Effect.sync(() => handleAddresses(peer, message)),
      addrv2: (peer, message) => Effect.sync(() => handleAddresses(peer, message)),
      getaddr: (peer) => Effect.sync(() => answer(peer))
    },
    greeted: (peer) => {
      if (peer.inbound || (!isFullRelay(peer) && peer.kind !== "addr-fetch")) return
      enable(peer)
      ask(peer)
    },
    tick: (peer, at) => {
      const state = states.get(peer.id)
      if (state === undefined || !state.isEnabled) return
      if (at >= state.nextOwn) advertiseOwn(peer, state, at)
      if (at < state.nextSend) return
      state.nextSend = at + random.exponential(SEND_INTERVAL)
      sendWaiting(peer, state)
    },
    gone: (peer) => void states.delete(peer.id),
    figures: (peer) => {
      const state = states.get(peer.id)
      return {
        isRelayed: state?.isEnabled ?? false,
        processed: state?.processed ?? 0,
        limited: state?.limited ?? 0
      }
    }
  }
}
