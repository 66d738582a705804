import type { Milliseconds, UnixMilliseconds } from "../../../quantities.ts"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DisconnectReason } from "../../../runtime/disconnect-reason.ts"
import { nodeClock } from "../node-clock.ts"
import { OUR_PACKAGES } from "../negotiation.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { LivePeer } from "../live-peer.ts"
import type { PeerVersion, Peer } from "../peer.ts"
import { PEER_LIMITS } from "../peer-limits.ts"
import type { PeerPart } from "../peer-part.ts"
import { type ClockOffsets, clockOffsets } from "./clock-offsets.ts"
import { FINAL_ALERT } from "./final-alert.ts"
import { offersPackages, type OwnVersionInfo, ourVersion } from "./own-version.ts"
import { keepPinging, oddPong, type Pinging, pinging, pingTimeout, receivePong, unforeseeable } from "./ping-pong.ts"
import { ProtocolVersion } from "./protocol-versions.ts"
import { reconciliation } from "./reconciliation.ts"
import { objectionToVersion, versionOf } from "./read-version.ts"
import { isUdpAddressesFeature, UDP_ADDRESSES } from "./udp-feature.ts"

/** The part that opens and maintains sessions, with its interface to the host. */
export interface Session extends PeerPart {
  /** Called when a connection is open. */
  readonly connected: (peer: LivePeer) => void
  /** Sends a ping to each peer with the next tick. */
  readonly pingAll: () => void
  /** Offsets of outbound peers' clocks from this machine's. */
  readonly clocks: Pick<ClockOffsets, "isFarOff" | "median">
}

/** Receives the services a peer offers, even if it is disconnected because of them. */
export type HeardServices = (peer: Peer, services: bigint) => void

/** Session state of one connection. */
interface SessionState {
  readonly peer: LivePeer
  readonly nonce: bigint
  readonly pinging: Pinging
}

const silent = (what: "receive" | "sending", silence: Milliseconds): DisconnectReason => ({
  _tag: "SocketSilent",
  what,
  silence
})

/** Disconnects a peer that did not finish the handshake in time, or fell silent. */
const checkLife = (peer: Peer, now: UnixMilliseconds, patience: Milliseconds): void => {
  const { lastReceive, lastSend } = peer.traffic
  if (now < peer.connectedAt + patience) return
  const wasReceived = lastReceive !== 0
  const wasSent = lastSend !== 0
  if (!wasReceived || !wasSent) peer.disconnect({ _tag: "NoFirstMessage", patience, wasReceived, wasSent })
  else if (peer.transport.kind() === "detecting") peer.disconnect({ _tag: "HandshakeTimeoutV2" })
  else if (!peer.isReady) peer.disconnect({ _tag: "HandshakeTimeout" })
  else if (now > lastSend + PEER_LIMITS.silence.most) peer.disconnect(silent("sending", now - lastSend))
  else if (now > lastReceive + PEER_LIMITS.silence.most) peer.disconnect(silent("receive", now - lastReceive))
}

const heardWtxidRelay = ({ disconnect, hello, isReady }: Peer): void => {
  if (isReady) disconnect({ _tag: "AfterVerack", command: "wtxidrelay" })
  else if (hello !== undefined && hello.version >= ProtocolVersion.WITNESS_IDS) hello.wtxidRelay = true
}

const heardSendAddrV2 = ({ disconnect, hello, isReady }: Peer): void => {
  if (isReady) disconnect({ _tag: "AfterVerack", command: "sendaddrv2" })
  else if (hello !== undefined) hello.wantsAddrV2 = true
}

const heardSendPackages = (peer: Peer, { versions }: MessageOf<"sendpackages">, versionInfo: OwnVersionInfo): void => {
  if (!offersPackages(peer, versionInfo)) return
  if (peer.isReady) peer.disconnect({ _tag: "AfterVerack", command: "sendpackages" })
  else if (peer.hello !== undefined) peer.hello.packages = versions
}

const heardPing = (peer: Peer, { nonce }: MessageOf<"ping">): void => {
  if (nonce !== undefined && (peer.hello?.version ?? 0) > ProtocolVersion.PONG_ABOVE) {
    peer.send({ command: "pong", nonce })
  }
}

/** Checks the form of an announced feature (BIP434). Unknown features have no effect. */
const heardFeature = (peer: Peer, payload: Uint8Array, { notify }: P2pContext, versionInfo: OwnVersionInfo): void => {
  const version = peer.hello?.version ?? 0
  if (peer.isReady) return peer.disconnect({ _tag: "AfterVerack", command: "feature" })
  if (version < ProtocolVersion.FEATURES) {
    return peer.disconnect({ _tag: "FeatureBeforeItsVersion", version })
  }
  const decoded = decodeMessage("feature", payload)
  if (Result.isFailure(decoded)) return peer.disconnect({ _tag: "FeatureInvalid" })
  if (versionInfo.knowsUdpAddresses === true && isUdpAddressesFeature(decoded.success.message.id)) {
    if (peer.hello !== undefined) peer.hello.knowsUdpAddresses = true
    return
  }
  notify.trace?.({ _tag: "UnknownFeature", peer: peer.id, id: decoded.success.message.id })
}

/**
 * Waits for the blocks that a peer sent before its ping. The pong shows that they are validated, in the initial
 * download too.
 */
const downloadsJudged = ({ chain }: P2pContext, peer: Peer): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (!peer.hasDownloads) return Effect.void
    peer.hasDownloads = false
    return Effect.andThen(peer.downloads.settled, chain.blocksConnected ?? Effect.void)
  })

/**
 * Opens sessions by `version`, `verack` and the negotiation between them. Then it maintains them: it sends pings, and
 * disconnects peers that do not answer or are silent. The side that opened the connection sends first.
 */
export const session = (
  context: P2pContext,
  versionInfo: OwnVersionInfo,
  heardServices: HeardServices = () => undefined
): Session => {
  const { environment } = context
  const patience = versionInfo.peerTimeout ?? PEER_LIMITS.handshake.most
  const states = new Map<number, SessionState>()
  const clocks = clockOffsets()
  const reconciling = reconciliation(context, versionInfo)
  let isFarOff = false

  /** Compares clocks with outbound peers only: an attacker could connect to make this node's clock seem wrong. */
  const compareClocks = (peer: Peer, { timeOffset }: PeerVersion): void => {
    if (peer.inbound) return
    clocks.add(timeOffset)
    if (clocks.isFarOff() && !isFarOff) {
      context.notify.log("warn", "this machine's clock seems to be wrong: set it, else valid blocks may be refused", {
        seconds: clocks.median()
      })
    }
    isFarOff = clocks.isFarOff()
  }

  /** True if this node sent the nonce on a connection that is not ready yet. */
  const isOurs = (nonce: bigint): boolean => {
    for (const state of states.values()) {
      if (!state.peer.inbound && !state.peer.isReady && state.nonce === nonce) return true
    }
    return false
  }

  const sendVersion = ({ nonce, peer }: SessionState): void => peer.send(ourVersion(peer, context, versionInfo, nonce))

  const connected = (peer: LivePeer): void => {
    const state = { peer, nonce: unforeseeable(environment.random), pinging: pinging() }
    states.set(peer.id, state)
    if (!peer.inbound) sendVersion(state)
  }

  /** Returns the reason to disconnect a peer because of its `version`, or `undefined`. */
  const objection = (peer: Peer, message: MessageOf<"version">): DisconnectReason | undefined => {
    const { sender } = message
    return objectionToVersion(peer, message, context) ??
      (peer.inbound && sender !== undefined && isOurs(sender.nonce) ? { _tag: "ConnectedToSelf" } : undefined)
  }

  const answerVersion = (state: SessionState, version: number): void => {
    const { peer } = state
    if (peer.inbound) sendVersion(state)
    if (version >= ProtocolVersion.WITNESS_IDS) {
      peer.send({ command: "wtxidrelay" })
      peer.send({ command: "sendaddrv2" })
      if (offersPackages(peer, versionInfo)) peer.send({ command: "sendpackages", versions: OUR_PACKAGES })
    }
    if (versionInfo.knowsUdpAddresses === true && version >= ProtocolVersion.FEATURES) {
      peer.send({ command: "feature", id: UDP_ADDRESSES, data: new Uint8Array(0) })
    }
    reconciling.offer(peer)
    peer.send({ command: "verack" })
    if (version <= ProtocolVersion.ALERTS) peer.sendPayload("alert", FINAL_ALERT)
    if (peer.kind === "feeler") peer.disconnect({ _tag: "FeelerCompleted" })
  }

  const heardVersion = (peer: Peer, message: MessageOf<"version">): void => {
    const state = states.get(peer.id)
    if (state === undefined) return
    heardServices(peer, message.services)
    const reason = objection(peer, message)
    if (reason !== undefined) {
      peer.disconnect(reason)
      return
    }
    const hello = versionOf(message, nodeClock(context)())
    peer.hello = hello
    compareClocks(peer, hello)
    answerVersion(state, hello.version)
  }

  const ready = (peer: Peer): void => {
    const state = states.get(peer.id)
    if (state === undefined || peer.hello === undefined) return
    if (peer.hello.version >= ProtocolVersion.COMPACT_BLOCKS) {
      peer.send({ command: "sendcmpct", announce: false, version: 2n })
    }
    keepPinging(peer, state.pinging, environment.now(), environment.random)
  }

  return {
    name: "session",
    handlers: {
      version: (peer, message) => Effect.sync(() => heardVersion(peer, message)),
      verack: (peer) =>
        Effect.sync(() => {
          if (peer.isReady) {
            context.notify.trace?.({ _tag: "LeftOut", peer: peer.id, command: "verack", why: "again" })
            return
          }
          reconciling.settle(peer)
          peer.isReady = true
        }),
      wtxidrelay: (peer) => Effect.sync(() => heardWtxidRelay(peer)),
      sendaddrv2: (peer) => Effect.sync(() => heardSendAddrV2(peer)),
      sendpackages: (peer, message) => Effect.sync(() => heardSendPackages(peer, message, versionInfo)),
      sendtxrcncl: (peer, message) => Effect.sync(() => reconciling.receive(peer, message)),
      ping: (peer, message) => Effect.map(downloadsJudged(context, peer), () => heardPing(peer, message))
    },
    // Bitcoin Core checks these before it decodes the message, so they apply to invalid messages too.
    guards: {
      version: (peer) =>
        peer.hello === undefined ? undefined : Effect.sync(() => {
          context.notify.trace?.({ _tag: "LeftOut", peer: peer.id, command: "version", why: "again" })
        }),
      sendtxrcncl: (peer) => {
        const instead = reconciling.judge(peer)
        return instead === undefined ? undefined : Effect.sync(instead)
      }
    },
    raw: {
      feature: (peer, payload) => Result.succeed(Effect.sync(() => heardFeature(peer, payload, context, versionInfo))),
      pong: (peer, payload) =>
        Result.succeed(Effect.sync(() => {
          const state = states.get(peer.id)
          if (state === undefined) return
          const pong = oddPong(state.pinging, payload)
          if (pong !== undefined) context.notify.trace?.({ _tag: "OddPong", peer: peer.id, pong })
          receivePong(peer, state.pinging, payload, environment.now())
        }))
    },
    ready,
    tick: (peer, now) => {
      const state = states.get(peer.id)
      if (state === undefined) return
      const seconds = now < peer.connectedAt + patience ? undefined : pingTimeout(state.pinging, now)
      if (seconds !== undefined) {
        context.notify.trace?.({ _tag: "PingTimeout", peer: peer.id, seconds })
        return peer.disconnect({ _tag: "PingTimeout" })
      }
      keepPinging(peer, state.pinging, now, environment.random)
    },
    tickAll: (now) => {
      for (const { peer } of states.values()) if (!peer.isGone) checkLife(peer, now, patience)
    },
    gone: (peer) => {
      reconciling.gone(peer)
      states.delete(peer.id)
    },
    connected,
    clocks,
    pingAll: () => {
      for (const state of states.values()) state.pinging.isAsked = true
    }
  }
}
