import { isV1Answer, V1_BEGINNING_SIZE } from "@lockstep/protocol/wire/v2-transport/v1-beginning.ts"
import { type ConnectionPlace, noPermissions, type PeerPermissions } from "../../net/peer-permissions.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Command } from "@lockstep/protocol/wire/codecs.ts"
import { limitsToTake } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import { isLocal } from "../../net/address-place.ts"
import { machineClock } from "../basics/environment.ts"
import type { UnixMilliseconds } from "../../quantities.ts"
import type { P2pContext } from "./p2p-context.ts"
import type { Punishment } from "../../runtime/trace.ts"
import type { Connection, ConnectionListener } from "../transport/transport.ts"
import { dispatcher } from "./dispatcher.ts"
import type { CaptureMessage } from "./message-capture.ts"
import { inbox } from "./inbox.ts"
import { transportsOf } from "./transports.ts"
import { type DisconnectReason, disconnectText } from "../../runtime/disconnect-reason.ts"
import { type Misbehavior, misbehaviorText } from "../../runtime/misbehavior.ts"
import { addToCounter, LivePeer } from "./live-peer.ts"
import type { PeerBuffers } from "./peer-buffers.ts"
import { hostedConnection } from "./hosted-connection.ts"
import type { Peer } from "./peer.ts"
import type { LivePeerHost, Taken, TrafficTotals } from "./peer-host.ts"
import { concerns, type PeerPart, type TickingPart } from "./peer-part.ts"
import { type Hosted, pump } from "./pump.ts"
import { receiveBudget } from "./receive-budget.ts"
import { rateLimitedLog } from "./rate-limited-log.ts"
import { catchUp, type Ticking, tickForever } from "./ticks.ts"
import { inboundWorkLimiter } from "./inbound-work-limiter.ts"

/** What a host needs beside the context. */
export interface PeerHostOptions {
  /** Its `peers` is the map below, seen from outside. */
  readonly context: P2pContext
  /** Filled by the host alone. */
  readonly peers: Map<number, Peer>
  /** Counted by the host alone. */
  readonly totals: TrafficTotals
  /** Bytes went out. */
  readonly sentBytes?: (bytes: number) => void
  /** In the order in which they learn of a ready peer, and so send their first messages. */
  readonly parts: ReadonlyArray<PeerPart>
  /** A connection is open; the side that speaks first may do so. */
  readonly connected: (peer: LivePeer) => void
  /** The address of a peer is discouraged. */
  readonly discouraged: (peer: Peer, what: Misbehavior) => void
  /** Whether an operator trusts the peer at this address. */
  readonly trusts?: (address: NetworkAddress) => boolean
  /** What an operator lets the peer of a connection do; none: nothing beyond others. */
  readonly permits?: (place: ConnectionPlace) => PeerPermissions
  /** How much of a peer's traffic may wait; none: as much as in Bitcoin Core. */
  readonly buffers?: PeerBuffers | undefined
  /** Whether blocks are in flight from a peer: its messages are not held back. */
  readonly isServingUs?: (peer: Peer) => boolean
  /** Whether there is a subscriber to events about single messages. */
  readonly messagesHaveSubscribers?: () => boolean
  /** Whether a message may go out to a peer; none: any may. */
  readonly maySend?: (peer: Peer, command: string) => boolean
  /** Keeps every message; none: messages are not kept. */
  readonly capture?: CaptureMessage | undefined
}

/**
 * Blocks that the tip may be behind the best header while untrusted inbound peers are not held back: a new one is on
 * its way.
 */
const NEARLY_THERE = 1

/** The name under which traffic of unknown commands is counted, so that a peer cannot make a table grow. */
const OTHER = "*other*"

/** Reasons that are reported as an attack as well, with its kind. */
const ATTACKS: { readonly [T in DisconnectReason["_tag"]]?: string } = {
  AnswersNotRead: "answers that are not read",
  IncompleteMessage: "messages that take long"
}

/** The transport of a peer that is ready, as events name it. */
const settledKind = ({ transport }: LivePeer): "v1" | "v2" | "quic" | "iroh" => {
  const kind = transport.kind()
  return kind === "detecting" ? "v1" : kind
}

/** In Bitcoin Core's order of reasons. */
const punishmentOf = (peer: LivePeer): Punishment => {
  if (peer.isTrusted) return "kept as noban"
  if (peer.kind === "manual") return "kept as manual"
  return isLocal(peer.endpoint.address) ? "disconnected" : "discouraged"
}

/**
 * Turns connections into peers, until the scope ends. It cuts frames out of what arrives and has each handled by the
 * part it belongs to, one after another for a peer.
 */
export const makePeerHost = Effect.fnUntraced(function*(
  options: PeerHostOptions
): Effect.fn.Return<LivePeerHost, never, Scope.Scope> {
  const { context, isServingUs = () => false, parts, peers, totals } = options
  const { buffers, permits = noPermissions, trusts = () => false } = options
  const { environment, notify } = context
  const limits = limitsToTake(context.limits)
  const machine = machineClock(environment)
  const log = rateLimitedLog(notify.log, machine)
  const dispatch = dispatcher(parts, limits)
  const transports = transportsOf(context, limits)
  const fibers = yield* FiberSet.make<void>()
  const fork = yield* FiberSet.runtime(fibers)()
  const budget = receiveBudget(machine)
  const limiter = inboundWorkLimiter()
  const hasSubscribers = options.messagesHaveSubscribers ?? (() => false)
  const live = new Map<number, LivePeer>()
  let nextId = 0

  const usual = parts.filter((part) => concerns(part, "inbound"))
  const privately = parts.filter((part) => concerns(part, "private-broadcast"))
  const partsOf = ({ kind }: Peer): ReadonlyArray<PeerPart> => kind === "private-broadcast" ? privately : usual

  const guarded = (peer: Peer, what: string, run: () => void): void => {
    try {
      run()
    } catch (defect) {
      log(`defect:${what}`, "error", "a defect in the network layer", {
        peer: peer.name,
        where: what,
        defect: String(defect)
      })
      peer.disconnect({ _tag: "InternalError" })
    }
  }

  const defect = (what: string, cause: unknown): void =>
    log(`defect:${what}`, "error", "a defect in the network layer", { where: what, defect: String(cause) })

  const sentBytes = (bytes: number): void => {
    totals.sent += bytes
    options.sentBytes?.(bytes)
  }

  const sent = (peer: LivePeer, command: string, bytes: number): void => {
    if (hasSubscribers()) notify.event("MessageSent", { peer: peer.name, command, bytes })
  }

  const discourage = (peer: LivePeer, what: Misbehavior): void => {
    const { id, name } = peer
    const punishment = punishmentOf(peer)
    const kept = punishment === "kept as manual" || punishment === "kept as noban"
    notify.trace?.({
      _tag: "Misbehaving",
      peer: id,
      address: name,
      what,
      punishment,
      isOnion: peer.network === "onion"
    })
    log("misbehaving", "warn", "a peer did what no honest node does", {
      peer: name,
      reason: misbehaviorText(what),
      kept
    })
    if (kept) return
    if (punishment === "discouraged") options.discouraged(peer, what)
    peer.disconnect({ _tag: "Misbehaved", what })
  }

  const sending = (peer: LivePeer, command: string, payload: Uint8Array): void => {
    notify.trace?.({ _tag: "Sent", peer: peer.id, command, bytes: payload.length })
    options.capture?.("sent", peer.name, command, payload)
  }

  // Said before the peer can see the end of the connection.
  const disconnecting = (peer: LivePeer, reason: DisconnectReason): void =>
    notify.trace?.({ _tag: "Disconnecting", peer: peer.id, address: peer.name, reason })

  const maySend = (peer: LivePeer, command: string): boolean => {
    const isAllowed = options.maySend?.(peer, command) ?? true
    if (!isAllowed) {
      log("left out", "warn", "a message is left out, which the peer is not to get", { peer: peer.name, command })
    }
    return isAllowed
  }

  const surroundings = {
    buffers,
    now: environment.now,
    sentBytes,
    sent,
    sending,
    maySend,
    discourage,
    disconnecting,
    permits,
    trusts
  }

  const received = (hosted: Hosted, command: Command | undefined, bytes: number): void => {
    const { peer } = hosted
    peer.work.charge(0)
    addToCounter(peer.traffic.receivedPerCommand, command ?? OTHER, bytes)
    if (!hasSubscribers()) return
    const version = peer.hello?.version ?? 0
    notify.event("MessageReceived", { peer: peer.name, command: command ?? OTHER, bytes, version })
  }

  /** Sends what is due unrequested, as Bitcoin Core does between any two messages of a peer. */
  const sendDue = (peer: Peer): void => {
    const now = environment.now()
    for (const part of partsOf(peer)) if (!peer.isGone) guarded(peer, `${part.name}.tick`, () => part.tick?.(peer, now))
  }

  /** Where ticks have begun: what they serve, and the last one. */
  let ticks: { readonly ticking: Ticking; last: UnixMilliseconds } | undefined

  const notifyParts = (peer: Peer, what: "greeted" | "ready"): void => {
    for (const part of partsOf(peer)) if (!peer.isGone) guarded(peer, `${part.name}.${what}`, () => part[what]?.(peer))
  }

  /** Notifies all parts once how far the handshake is, as soon as what the peer just sent has brought it there. */
  const handled = (hosted: Hosted): void => {
    const { peer } = hosted
    if (hosted.stage === "none" && peer.hello !== undefined) {
      hosted.stage = "greeted"
      notifyParts(peer, "greeted")
    }
    if (!peer.isReady) return
    if (hosted.stage !== "ready") {
      hosted.stage = "ready"
      notify.event("PeerConnected", {
        peer: peer.name,
        direction: peer.inbound ? "inbound" : "outbound",
        services: (peer.hello?.services ?? 0n).toString(16).padStart(16, "0"),
        version: peer.hello?.version ?? 0,
        transport: settledKind(peer)
      })
      notifyParts(peer, "ready")
    }
    sendDue(peer)
    if (ticks !== undefined) ticks.last = catchUp(ticks.ticking, ticks.last)
  }

  const isBehind = (): boolean => {
    const { bestHeader, tip } = context.chain.tree
    return bestHeader.height - tip.height > NEARLY_THERE
  }

  /** Whether a node that was called with the v2 transport said nothing, or answered in v1. */
  const saysNoV2 = (beginning: Uint8Array): boolean =>
    beginning.length === 0 || isV1Answer(beginning, context.network.magic)

  const forget = (
    peer: LivePeer,
    ended: DisconnectReason,
    { isV2, unanswered }: Taken,
    beginning: Uint8Array
  ): void => {
    live.delete(peer.id)
    if (!peers.delete(peer.id)) return
    for (const part of partsOf(peer)) guarded(peer, `${part.name}.gone`, () => part.gone?.(peer))
    const reason = disconnectText(ended)
    if (peer.isReady) notify.event("PeerDisconnected", { peer: peer.name, reason })
    const attack = ATTACKS[ended._tag]
    if (attack !== undefined) {
      notify.event("DoSAttackDetected", { peer: peer.name, kind: attack, severity: "medium" })
    }
    if (peer.reason === undefined) disconnecting(peer, ended)
    notify.trace?.({ _tag: "ConnectionGone", peer: peer.id })
    log("disconnected", "debug", "a connection has ended", { peer: peer.name, kind: peer.kind, reason })
    if (isV2 !== true || unanswered === undefined || !saysNoV2(beginning)) return
    notify.trace?.({ _tag: "RetriedWithV1", peer: peer.id })
    unanswered()
  }

  const take = (connection: Connection, taken: Taken): ConnectionListener => {
    /** The first bytes that arrived: the connection may end before they are read. */
    let beginning = new Uint8Array()
    const peer = new LivePeer(nextId++, connection, surroundings, { ...taken, transport: transports(taken) })
    const { hosted, listener } = hostedConnection({
      peer,
      connection,
      inbox: inbox(peer.transport),
      budget,
      limiter,
      mostReceived: buffers?.received,
      isHeldBack: () => isBehind() && !isServingUs(peer),
      arrived: (bytes) => {
        totals.received += bytes.length
        peer.traffic.bytesReceived += bytes.length
        if (beginning.length < V1_BEGINNING_SIZE) {
          beginning = Uint8Array.of(...beginning, ...bytes.subarray(0, V1_BEGINNING_SIZE - beginning.length))
        }
        peer.traffic.lastReceive = environment.now()
      },
      drained: () => {
        for (const part of partsOf(peer)) guarded(peer, `${part.name}.drained`, () => part.drained?.(peer))
      },
      closed: (reason) => forget(peer, reason, taken, beginning)
    })
    peers.set(peer.id, peer)
    live.set(peer.id, peer)
    notify.trace?.({ _tag: "ConnectionAdded", peer: peer.id, address: peer.name })
    guarded(peer, "connected", () => {
      peer.transport.begin()
      options.connected(peer)
    })
    fork(pump(hosted, { dispatch, handled, log, received, trace: notify.trace, capture: options.capture }))
    return listener
  }

  yield* addFinalizer(() =>
    Effect.sync(() => {
      for (const peer of peers.values()) peer.disconnect({ _tag: "NodeStopping" })
    })
  )
  return {
    take,
    sendPayload: (id, command, payload) => {
      const peer = live.get(id)
      peer?.sendPayload(command, payload)
      return peer !== undefined
    },
    fibers: () => fibers.state._tag === "Open" ? fibers.state.backing.size : 0,
    startTicks: (more) => {
      const all: ReadonlyArray<TickingPart> = [
        { name: "inbound work", tickAll: limiter.tick },
        ...parts,
        ...more,
        { name: "receive budget", tickAll: budget.tick }
      ]
      const begun = { ticking: { environment, peers, parts: all, guarded, defect }, last: environment.now() }
      ticks = begun
      const forever = tickForever(begun.ticking, (at) => void (begun.last = at))
      return Effect.forkScoped(forever, { startImmediately: true })
    }
  }
})
