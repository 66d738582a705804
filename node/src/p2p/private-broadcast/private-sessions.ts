import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Milliseconds, UnixMilliseconds } from "../../quantities.ts"
import type { DisconnectReason } from "../../runtime/disconnect-reason.ts"
import type { PrivateHappening } from "../../runtime/private-happening.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { PEER_LIMITS } from "../peer/peer-limits.ts"
import type { PeerPart } from "../peer/peer-part.ts"
import type { Peer } from "../peer/peer.ts"
import { keepPinging, oddPong, type Pinging, pinging, receivePong, unforeseeable } from "../peer/session/ping-pong.ts"
import { objectionToVersion, versionOf } from "../peer/session/read-version.ts"
import { answerGetData, answerVersion, offer, PONG, type PrivateAction } from "./conversation.ts"
import { PRIVATE_BROADCAST_LIMITS } from "./private-broadcast-limits.ts"
import { privateVersion } from "./private-version.ts"
import type { PrivateQueue } from "./private-queue.ts"

/** The part that handles private connections, with its interface to the host. */
export interface PrivateSessions extends PeerPart {
  /** Called when a connection is open. */
  readonly connected: (peer: Peer) => void
}

export interface PrivateSessionsOptions {
  readonly context: P2pContext
  readonly queue: PrivateQueue
  /** Milliseconds for a handshake; {@link PEER_LIMITS} by default. */
  readonly peerTimeout?: Milliseconds | undefined
  readonly say: (what: PrivateHappening) => void
  /** Called when a node behind Tor completed the handshake, which proves that the proxy for onion services is Tor. */
  readonly reachedThroughTor: () => void
  /** Called when a connection ended before its peer confirmed the transaction, so that another one is needed. */
  readonly needsAnother: () => void
}

/** Returns the reason to end a connection that has lasted too long, or `undefined`. */
const overdue = (peer: Peer, now: UnixMilliseconds, patience: Milliseconds): DisconnectReason | undefined => {
  const { lifetime } = PRIVATE_BROADCAST_LIMITS
  if (now > peer.connectedAt + lifetime.most) {
    return { _tag: "PrivateSendOverdue", seconds: lifetime.most / 1_000 }
  }
  return peer.isReady || now < peer.connectedAt + patience ? undefined : { _tag: "HandshakeTimeout" }
}

/**
 * Sends one transaction over each private connection and ends it. It negotiates nothing and answers nothing else, so
 * that the peer learns nothing about this node.
 */
export const privateSessions = (options: PrivateSessionsOptions): PrivateSessions => {
  const { context, needsAnother, queue, reachedThroughTor, say } = options
  const { environment } = context
  const patience = options.peerTimeout ?? PEER_LIMITS.handshake.most
  const pings = new Map<number, { readonly peer: Peer; readonly pinging: Pinging }>()

  const end = (peer: Peer, why: DisconnectReason): void => {
    say({ _tag: "Disconnecting", peer: peer.id, why })
    peer.disconnect(why)
  }

  const act = (peer: Peer, action: PrivateAction): void => {
    switch (action._tag) {
      case "Send":
        return peer.send(action.message)
      case "Ping": {
        const of = pings.get(peer.id)
        if (of === undefined) return
        of.pinging.isAsked = true
        return keepPinging(peer, of.pinging, environment.now(), environment.random)
      }
      case "Confirm":
        return queue.confirm(peer.id, environment.now())
      case "End":
        return end(peer, action.why)
    }
  }

  const perform = (peer: Peer, actions: ReadonlyArray<PrivateAction>): void => {
    for (const action of actions) if (!peer.isGone) act(peer, action)
  }

  const heardVersion = (peer: Peer, message: MessageOf<"version">): void => {
    if (peer.hello !== undefined) return
    const objection = objectionToVersion(peer, message, context)
    if (objection !== undefined) return end(peer, objection)
    peer.hello = versionOf(message, nodeClock(context)())
    perform(peer, answerVersion(peer.hello))
  }

  const heardVerack = (peer: Peer): void => {
    if (peer.isReady) return
    peer.isReady = true
    if (addressKind(peer.endpoint.address) === "onion") reachedThroughTor()
    const picked = queue.pick(peer.id, peer.name, environment.now())
    if (picked !== undefined) say({ _tag: "Offered", txid: picked.txid, wtxid: picked.wtxid, peer: peer.id })
    perform(peer, offer(picked))
  }

  const heardPong = (peer: Peer, payload: Uint8Array): void => {
    const of = pings.get(peer.id)
    if (of === undefined) return
    const isAnswer = oddPong(of.pinging, payload) === undefined
    receivePong(peer, of.pinging, payload, environment.now())
    if (isAnswer) perform(peer, PONG)
  }

  return {
    name: "private broadcast",
    onlyKind: "private-broadcast",
    handlers: {
      version: (peer, message) => Effect.sync(() => heardVersion(peer, message)),
      verack: (peer) => Effect.sync(() => heardVerack(peer)),
      getdata: (peer, { inventory }) =>
        Effect.sync(() => perform(peer, answerGetData(queue.pickedFor(peer.id), inventory)))
    },
    raw: { pong: (peer, payload) => Result.succeed(Effect.sync(() => heardPong(peer, payload))) },
    tickAll: (now) => {
      for (const { peer } of pings.values()) {
        const why = peer.isGone ? undefined : overdue(peer, now, patience)
        if (why !== undefined) end(peer, why)
      }
    },
    gone: (peer) => {
      pings.delete(peer.id)
      if (!queue.gone(peer.id) && queue.size() > 0) needsAnother()
    },
    connected: (peer) => {
      pings.set(peer.id, { peer, pinging: pinging() })
      peer.send(privateVersion(unforeseeable(environment.random)))
    }
  }
}
