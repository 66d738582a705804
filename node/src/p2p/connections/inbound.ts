import type { UnixMilliseconds } from "../../quantities.ts"
import { offers } from "@lockstep/protocol/wire/services.ts"
import { isLocal } from "../../net/address-place.ts"
import { PREFIX_GROUPS } from "../../net/net-groups.ts"
import { addressKey, endpointText } from "../../net/endpoint-text.ts"
import { machineClock } from "../basics/environment.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { connectedThrough, type Peer } from "../peer/peer.ts"
import { desiredServices } from "../peer/session/read-version.ts"
import { rateLimitedLog } from "../peer/rate-limited-log.ts"
import type { Connection } from "../transport/transport.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import { type EvictionCandidate, peerToEvict } from "./eviction.ts"
import type { Reputation } from "./reputation.ts"
import { MILLISECONDS } from "../../units.ts"

const { evictionRate, handshakePatience, inboundPerAddress, inboundRate, recentAddresses } = CONNECTION_LIMITS

/** Reasons to refuse a connection, by their names in metrics. */
export const OBJECTIONS = {
  inactive: "the network is switched off",
  banned: "the address is banned",
  discouraged: "the address is discouraged, and there is little room",
  rate: "too many connections of this address in a minute",
  address: "too many connections of this address",
  full: "there is no room"
} as const

export type Objection = keyof typeof OBJECTIONS

/** Admits or refuses inbound connections. */
export interface Inbound {
  /** Returns the reason to refuse a connection. `undefined` means that it is accepted and a slot is free for it now. */
  readonly objection: (connection: Pick<Connection, "local" | "network" | "remote">) => Objection | undefined
  /** True if every new inbound connection would be refused at this moment. */
  readonly isFlooded: () => boolean
  /** Records that a connection was refused because of the flood. */
  readonly turnedAway: (remote: Connection["remote"]) => void
}

/** Counts connections of single addresses within the current minute. */
const recentCounts = () => {
  const counts = new Map<string, number>()
  let minute = 0
  return (key: string, now: UnixMilliseconds): number => {
    if (Math.floor(now / MILLISECONDS.minute) !== minute) {
      minute = Math.floor(now / MILLISECONDS.minute)
      counts.clear()
    }
    const count = (counts.get(key) ?? 0) + 1
    // If the table is full, new addresses are not counted; the other limits still hold.
    if (counts.has(key) || counts.size < recentAddresses.most) counts.set(key, count)
    return count
  }
}

const candidateOf = (
  peer: Peer,
  context: P2pContext,
  key: (group: string) => number,
  isDiscouraged: boolean
): EvictionCandidate => {
  const { connectedAt, endpoint: { address }, hello, id, latency, traffic } = peer
  const group = (context.groups ?? PREFIX_GROUPS).group(address)
  const services = hello?.services ?? 0n
  return {
    id,
    connectedAt,
    leastPing: latency.least,
    lastBlock: traffic.lastBlock,
    lastTransaction: traffic.lastTransaction,
    offersBlocks: offers(services, desiredServices(services, context)),
    relaysTransactions: hello?.relay ?? false,
    isFiltered: hello?.isFiltered ?? false,
    keyedGroup: key(group),
    group,
    isDiscouraged,
    isLocal: isLocal(address),
    network: connectedThrough(peer)
  }
}

/** Returns a 32-bit number for each text, unpredictable without the key. */
const keyedBy = ({ crypto, environment }: P2pContext): (text: string) => number => {
  const key = environment.random.bytes(16)
  const known = new Map<string, number>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= recentAddresses.most) known.clear()
    const made = Buffer.from(crypto.sha256(Buffer.concat([key, Buffer.from(text)]))).readUInt32BE()
    known.set(text, made)
    return made
  }
}

export interface InboundOptions {
  readonly context: P2pContext
  readonly reputation: Reputation
  /** Maximum number of inbound connections. */
  readonly most: number
  readonly isActive: () => boolean
  /** Reports whether the peer of a connection is trusted: it connects while a slot is free, and is never evicted. */
  readonly trusts: (connection: Pick<Connection, "local" | "network" | "remote">) => boolean
}

export const inbound = ({ context, isActive, most, reputation, trusts }: InboundOptions): Inbound => {
  const { environment: { now }, peers, notify } = context
  const machine = machineClock(context.environment)
  const keyed = keyedBy(context)
  const log = rateLimitedLog(notify.log, machine)
  const countRecent = recentCounts()

  /**
   * Returns the peer that has gone longest without a handshake, if its time is over, or if such peers hold more than
   * half of the slots. The latter is a flood, in which handshakes have to be quick.
   */
  const mostSilent = (all: ReadonlyArray<Peer>): Peer | undefined => {
    const silent = all.filter(({ isReady }) => !isReady)
    const isFlood = silent.length * 2 > most
    const [longest] = silent
    if (isFlood && longest !== undefined) alarm(longest.name, "connections without a handshake")
    return longest !== undefined && (isFlood || now() - longest.connectedAt > handshakePatience.most)
      ? longest
      : undefined
  }

  let nextAlarm = 0

  const alarm = (peer: string, kind: string): void => {
    if (machine() < nextAlarm) return
    nextAlarm = machine() + MILLISECONDS.minute
    notify.event("DoSAttackDetected", { peer, kind, severity: "high" })
  }

  let second = 0
  let evictions = 0

  /**
   * True if a peer may be evicted now. Connections that arrive faster are a flood and are refused without an eviction.
   */
  const mayEvict = (): boolean => {
    const current = Math.floor(machine() / MILLISECONDS.second)
    if (current !== second) evictions = 0
    second = current
    return evictions++ < evictionRate.most
  }

  const flood = (remote: Connection["remote"]): void => alarm(endpointText(remote), "connections")

  const makeRoom = (inside: ReadonlyArray<Peer>, remote: Connection["remote"]): boolean => {
    if (!mayEvict()) {
      flood(remote)
      return false
    }
    const all = inside.filter(({ isTrusted }) => !isTrusted)
    const silent = mostSilent(all)
    if (silent !== undefined) {
      silent.disconnect({ _tag: "EvictedBeforeHandshake" })
      return true
    }
    const candidates = all.map((peer) =>
      candidateOf(peer, context, keyed, reputation.discouraged.has(peer.endpoint.address))
    )
    const evicted = peers.get(peerToEvict(candidates) ?? -1)
    evicted?.disconnect({ _tag: "EvictedForAnother" })
    if (evicted !== undefined) {
      log("makes room", "debug", "an inbound peer makes room for another one", { peer: evicted.name })
    }
    return evicted !== undefined
  }

  const tooMany = (remote: Connection["remote"], all: ReadonlyArray<Peer>): Objection | undefined => {
    if (isLocal(remote.address)) return undefined
    const key = addressKey(remote.address)
    const count = countRecent(key, machine())
    if (count === inboundRate.most + 1) {
      notify.event("RateLimitExceeded", {
        peer: endpointText(remote),
        limit: "connections",
        current: count,
        most: inboundRate.most
      })
    }
    if (count > inboundRate.most) return "rate"
    const same = all.filter(({ endpoint }) => addressKey(endpoint.address) === key).length
    return same >= inboundPerAddress.most ? "address" : undefined
  }

  /** Returns the reason to refuse an untrusted inbound peer, if any. */
  const unwelcome = (remote: Connection["remote"], all: ReadonlyArray<Peer>): Objection | undefined => {
    if (reputation.isBanned(remote.address)) return "banned"
    const isShunned = reputation.discouraged.has(remote.address)
    if (isShunned && all.length + 1 >= most) return "discouraged"
    return tooMany(remote, all)
  }

  const isFlooded = (): boolean => {
    if (Math.floor(machine() / MILLISECONDS.second) !== second || evictions < evictionRate.most) return false
    let count = 0
    for (const { inbound: isInbound, isGone } of peers.values()) if (isInbound && !isGone) count++
    return count >= most
  }

  return {
    isFlooded,
    turnedAway: flood,
    objection: (connection) => {
      const { remote } = connection
      if (!isActive()) return "inactive"
      const all = [...peers.values()].filter((peer) => peer.inbound && !peer.isGone)
      const objection = trusts(connection) ? undefined : unwelcome(remote, all)
      return objection ?? (all.length < most || makeRoom(all, remote) ? undefined : "full")
    }
  }
}
