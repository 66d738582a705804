import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Command } from "@lockstep/protocol/wire/codecs.ts"
import { limitsToTake } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import { isLocal } from "../../net/address-place.ts"
import { machineClock } from "../environment.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Connection, ConnectionListener } from "../transport/transport.ts"
import { dispatcher } from "./dispatcher.ts"
import { discard, heldFor, inbox, put } from "./inbox.ts"
import { count, LivePeer, NOT_READING } from "./live-peer.ts"
import type { Peer, PeerKind } from "./peer.ts"
import type { PeerHost } from "./peer-host.ts"
import { PEER_LIMITS } from "./peer-limits.ts"
import type { PeerPart } from "./peer-part.ts"
import { type Hosted, pump } from "./pump.ts"
import { HOLDS_TOO_LONG, receiveBudget } from "./receive-budget.ts"
import { rateLimitedLog } from "./rate-limited-log.ts"
import { tickForever } from "./ticks.ts"
import { inboundWorkLimiter } from "./inbound-work-limiter.ts"

/** What a host needs beside the context. */
export interface PeerHostOptions {
  /** Its `peers` is the map below, seen from outside. */
  readonly context: P2pContext
  /** Filled by the host alone. */
  readonly peers: Map<number, Peer>
  /** In the order in which they learn of a ready peer, and so send their first messages. */
  readonly parts: ReadonlyArray<PeerPart>
  /** A connection is open; the side that speaks first may do so. */
  readonly connected: (peer: LivePeer) => void
  /** A message with an unknown command. */
  readonly unknown: (peer: Peer, command: string) => void
  /** The address of a peer is discouraged. */
  readonly discouraged: (peer: Peer, reason: string) => void
  /** Whether an operator trusts the peer at this address. */
  readonly trusts?: (address: NetworkAddress) => boolean
  /** Whether blocks are awaited of a peer: its messages are not held back. */
  readonly gives?: (peer: Peer) => boolean
  /** Whether there is a subscriber to events about single messages. */
  readonly hearsMessages?: () => boolean
}

/** Bytes since the node started, of all peers there ever were. */
export interface Totals {
  received: number
  sent: number
}

/** A host, and what others may know of it. */
export interface LivePeerHost extends PeerHost {
  readonly totals: Readonly<Totals>
  /** Fibers that handle connections: as many as there are of these, unless one is left over. */
  readonly fibers: () => number
}

/**
 * Blocks that the tip may be behind the best header while untrusted inbound peers are not held back: a new one is on
 * its way.
 */
const NEARLY_THERE = 1

/** The name under which traffic of unknown commands is counted, so that a peer cannot make a table grow. */
const OTHER = "*other*"

/**
 * Turns connections into peers, until the scope ends. It cuts frames out of what arrives and has each handled by the
 * part it belongs to, one after another for a peer. Ten times a second it calls the ticks of all parts.
 */
export const makePeerHost = Effect.fnUntraced(function*(
  options: PeerHostOptions
): Effect.fn.Return<LivePeerHost, never, Scope.Scope> {
  const { context, parts, peers } = options
  const { crypto, environment, network, tell } = context
  const limits = limitsToTake(context.limits)
  const machine = machineClock(environment)
  const log = rateLimitedLog(tell.log, machine)
  const dispatch = dispatcher(parts, limits)
  const totals: Totals = { received: 0, sent: 0 }
  const fibers = yield* FiberSet.make<void>()
  const fork = yield* FiberSet.runtime(fibers)()
  const budget = receiveBudget(machine)
  const work = inboundWorkLimiter()
  const hears = options.hearsMessages ?? (() => false)
  let nextId = 0

  const guarded = (peer: Peer, what: string, run: () => void): void => {
    try {
      run()
    } catch (defect) {
      log(`defect:${what}`, "error", "a defect in the network layer", {
        peer: peer.name,
        where: what,
        defect: String(defect)
      })
      peer.disconnect("internal error")
    }
  }

  const defect = (what: string, cause: unknown): void =>
    log(`defect:${what}`, "error", "a defect in the network layer", { where: what, defect: String(cause) })

  const sent = (peer: LivePeer, command: string, bytes: number): void => {
    totals.sent += bytes
    if (hears()) tell.event("MessageSent", { peer: peer.name, command, bytes })
  }

  const discourage = (peer: LivePeer, reason: string): void => {
    const isKept = peer.kind === "manual" || peer.isTrusted
    const isOurs = isLocal(peer.endpoint.address)
    log("misbehaving", "warn", "a peer did what no honest node does", { peer: peer.name, reason, kept: isKept })
    if (isKept) return
    if (!isOurs) options.discouraged(peer, reason)
    peer.disconnect(reason)
  }

  const { gives = () => false, trusts = () => false } = options
  const surroundings = { magic: network.magic, crypto, now: environment.now, sent, discourage, trusts }

  const received = (hosted: Hosted, command: Command | undefined, bytes: number): void => {
    const { peer } = hosted
    peer.work.charge(0)
    count(peer.traffic.receivedPerCommand, command ?? OTHER, bytes)
    if (hears()) tell.event("MessageReceived", { peer: peer.name, command: command ?? OTHER, bytes })
  }

  /** Sends what is due unrequested, as Bitcoin Core does between any two messages of a peer. */
  const sendDue = (peer: Peer): void => {
    const now = environment.now()
    for (const part of parts) if (!peer.isGone) guarded(peer, `${part.name}.tick`, () => part.tick?.(peer, now))
  }

  /** Notifies all parts once that a peer is ready, as soon as what it just sent has made it so. */
  const handled = ({ peer, ...rest }: Hosted): void => {
    if (!peer.isReady) return
    if (!rest.isAnnounced()) {
      rest.announce()
      tell.event("PeerConnected", { peer: peer.name, direction: peer.inbound ? "inbound" : "outbound" })
      for (const part of parts) if (!peer.isGone) guarded(peer, `${part.name}.ready`, () => part.ready?.(peer))
    }
    sendDue(peer)
  }

  const isBehind = (): boolean => {
    const { bestHeader, tip } = context.chain.tree
    return bestHeader.height - tip.height > NEARLY_THERE
  }

  const forget = (peer: LivePeer, reason: string): void => {
    if (!peers.delete(peer.id)) return
    for (const part of parts) guarded(peer, `${part.name}.gone`, () => part.gone?.(peer))
    if (peer.isReady) tell.event("PeerDisconnected", { peer: peer.name, reason })
    if (reason === NOT_READING) tell.event("DoSAttackDetected", { peer: peer.name, kind: "answers that are not read" })
    if (reason === HOLDS_TOO_LONG) tell.event("DoSAttackDetected", { peer: peer.name, kind: "messages that take long" })
    log("disconnected", "debug", "a connection has ended", { peer: peer.name, kind: peer.kind, reason })
  }

  const take = (connection: Connection, kind: PeerKind, writtenAs?: string): ConnectionListener => {
    const peer = new LivePeer(nextId++, kind, connection, surroundings, writtenAs)
    const box = inbox(network.magic, crypto, limits)
    let isPaused = false
    let isAnnounced = false
    // What arrives while the fiber is on its way to sleep must not be slept over.
    let isAwake = true
    let resume: (() => void) | undefined
    const isStranger = peer.inbound && !peer.isTrusted
    const share = isStranger ? budget.join(peer, () => resumeReading()) : undefined
    const workShare = isStranger ? work.join(() => isBehind() && !gives(peer), () => wake()) : undefined
    if (workShare !== undefined) peer.work = workShare
    const resumeReading = (): void => {
      share?.set(heldFor(box))
      // A message on its way does not count: nothing but its rest will ever make it less.
      if (!isPaused || peer.isGone || box.held > PEER_LIMITS.received.most / 2) return
      if (!peer.hasRoom() || share?.isTooMuch() === true) return
      isPaused = false
      connection.resume()
    }
    const wake = (): void => {
      isAwake = true
      const wakeUp = resume
      resume = undefined
      // The fiber may run within this call, and be asleep again at its end.
      wakeUp?.()
    }
    const hosted: Hosted = {
      peer,
      inbox: box,
      isAnnounced: () => isAnnounced,
      announce: () => {
        isAnnounced = true
      },
      looking: () => {
        isAwake = false
      },
      sleep: (wakeUp) => {
        // A peer that this node makes wait does not count as waiting for its own sender.
        if (workShare?.isSpent() !== true) share?.waits()
        if (isAwake) wakeUp()
        else resume = wakeUp
      },
      relieved: (isWhole) => {
        if (isWhole) share?.progressed()
        resumeReading()
      }
    }
    peers.set(peer.id, peer)
    guarded(peer, "connected", () => options.connected(peer))
    fork(pump(hosted, { dispatch, handled, log, received, unknown: options.unknown }))
    return {
      received: (bytes) => {
        if (peer.isGone) return
        totals.received += bytes.length
        peer.traffic.bytesReceived += bytes.length
        peer.traffic.lastReceive = environment.now()
        put(box, bytes)
        const held = heldFor(box)
        share?.set(held)
        workShare?.charge(bytes.length)
        // Nothing more of one that has no room is handled, so nothing more of it is kept.
        const isFull = held > PEER_LIMITS.received.most || !peer.hasRoom() || share?.isTooMuch() === true
        if (!isPaused && isFull) {
          isPaused = true
          connection.pause()
        }
        wake()
      },
      drained: () => {
        if (peer.isGone) return
        for (const part of parts) guarded(peer, `${part.name}.drained`, () => part.drained?.(peer))
        wake()
      },
      closed: (reason) => {
        peer.isGone = true
        share?.leave()
        workShare?.leave()
        discard(box)
        // The caller of `disconnect` may be in the middle of something that is about this peer.
        queueMicrotask(() => forget(peer, peer.reason ?? reason))
        wake()
      }
    }
  }

  const ticking = [{ name: "work", handlers: {}, tickAll: work.tick }, ...parts, {
    name: "budget",
    handlers: {},
    tickAll: budget.tick
  }]
  yield* Effect.forkScoped(tickForever({ environment, peers, parts: ticking, guarded, defect }), {
    startImmediately: true
  })
  yield* addFinalizer(() =>
    Effect.sync(() => {
      for (const peer of peers.values()) peer.disconnect("the node is stopping")
    })
  )
  return { take, totals, fibers: () => fibers.state._tag === "Open" ? fibers.state.backing.size : 0 }
})
