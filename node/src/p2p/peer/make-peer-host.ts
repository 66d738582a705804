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

/** Options of a host besides the context. */
export interface PeerHostOptions {
  /** The context, whose `peers` is a read-only view of the map below. */
  readonly context: P2pContext
  /** Filled only by the host. */
  readonly peers: Map<number, Peer>
  /** Counted only by the host. */
  readonly totals: TrafficTotals
  /** Called when bytes were sent. */
  readonly sentBytes?: (bytes: number) => void
  /** The parts, in the order in which they are notified of a ready peer and so send their first messages. */
  readonly parts: ReadonlyArray<PeerPart>
  /** Called when a connection is open, so that the initiator can send first. */
  readonly connected: (peer: LivePeer) => void
  /** Called when the address of a peer is discouraged. */
  readonly discouraged: (peer: Peer, what: Misbehavior) => void
  /** Reports whether an operator trusts the peer at this address. */
  readonly trusts?: (address: NetworkAddress) => boolean
  /** Returns the permissions that an operator grants the peer of a connection; none by default. */
  readonly permits?: (place: ConnectionPlace) => PeerPermissions
  /** Limits of the send and receive buffers of a peer; Bitcoin Core's by default. */
  readonly buffers?: PeerBuffers | undefined
  /** True if blocks are in flight from a peer; its messages are then not held back. */
  readonly isServingUs?: (peer: Peer) => boolean
  /** True if events about single messages have a subscriber. */
  readonly messagesHaveSubscribers?: () => boolean
  /** Reports whether a message may be sent to a peer; always by default. */
  readonly maySend?: (peer: Peer, command: string) => boolean
  /** Captures every message; absent if messages are not captured. */
  readonly capture?: CaptureMessage | undefined
}

/**
 * Blocks that the tip may be behind the best header before untrusted inbound peers are held back: one may be in flight.
 */
const NEARLY_THERE = 1

/** Name under which traffic of unknown commands is counted, so that a peer cannot make a table grow. */
const OTHER = "*other*"

/** Reasons that are also reported as an attack, with its kind. */
const ATTACKS: { readonly [T in DisconnectReason["_tag"]]?: string } = {
  AnswersNotRead: "answers that are not read",
  IncompleteMessage: "messages that take long"
}

/** Returns the transport of a ready peer, as events name it. */
const settledKind = ({ transport }: LivePeer): "v1" | "v2" | "quic" | "iroh" => {
  const kind = transport.kind()
  return kind === "detecting" ? "v1" : kind
}

/** Returns the punishment for misbehavior. The conditions are in Bitcoin Core's order. */
const punishmentOf = (peer: LivePeer): Punishment => {
  if (peer.isTrusted) return "kept as noban"
  if (peer.kind === "manual") return "kept as manual"
  return isLocal(peer.endpoint.address) ? "disconnected" : "discouraged"
}

/**
 * Makes the host, which turns connections into peers until the scope ends. It splits the received bytes into frames.
 * The part responsible for a command handles them, one after another for each peer.
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

  // Reported before the peer can see the end of the connection.
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

  /** Sends messages that are due unrequested, as Bitcoin Core does between any two messages of a peer. */
  const sendDue = (peer: Peer): void => {
    const now = environment.now()
    for (const part of partsOf(peer)) if (!peer.isGone) guarded(peer, `${part.name}.tick`, () => part.tick?.(peer, now))
  }

  /** The subscribers to ticks and the time of the last tick; `undefined` until ticks start. */
  let ticks: { readonly ticking: Ticking; last: UnixMilliseconds } | undefined

  const notifyParts = (peer: Peer, what: "greeted" | "ready"): void => {
    for (const part of partsOf(peer)) if (!peer.isGone) guarded(peer, `${part.name}.${what}`, () => part[what]?.(peer))
  }

  /** Notifies all parts once of each stage of the handshake, as soon as the peer's last message has completed it. */
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

  /** True if a node dialed with the v2 transport sent nothing, or answered in v1. */
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
    /** The first bytes that arrived. They are kept here because the connection may end before they are read. */
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
