import type { UnixMilliseconds } from "../../quantities.ts"
import type { Command, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import type { PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Peer, PeerKind } from "./peer.ts"

/** What is done about the messages of one command. The next message of the peer waits until it is done. */
export type MessageHandler<C extends Command> = (peer: Peer, message: MessageOf<C>) => Effect.Effect<void>

/** Handlers by command. Each command belongs to one part. */
export type MessageHandlers = { readonly [C in Command]?: MessageHandler<C> }

/** The result for a payload: the work to do, or why it is no message. */
export type Dispatched = Result.Result<Effect.Effect<void>, PayloadFault>

/**
 * Handlers that look at the bytes first, since decoding all of them may take far more memory than they do. They say what
 * is wrong with a payload as a codec does, and what is behind the message is left unread by them as well.
 */
export type RawHandlers = { readonly [C in Command]?: (peer: Peer, payload: Uint8Array) => Dispatched }

/** Looks at a payload before anything else does. What it returns is done instead of what the handler would do. */
export type Guard = (peer: Peer, payload: Uint8Array) => Effect.Effect<void> | undefined

/** Guards by command, of commands that the same part handles. */
export type Guards = { readonly [C in Command]?: Guard }

/** What is due by time, of a part or of what is built on top of the host. */
export interface TickingPart {
  readonly name: string
  /** The kind of connections that belong to this part, and to no other; none: all others do. */
  readonly onlyKind?: "private-broadcast"
  /** Ten times a second and after each message, for a peer that is ready: sends what is due unrequested. */
  readonly tick?: (peer: Peer, now: UnixMilliseconds) => void
  /** Ten times a second, once. */
  readonly tickAll?: (now: UnixMilliseconds) => void
}

/**
 * A part of what a node does with its peers: sync, relay, serving, addresses. A part keeps its own state, by `peer.id`,
 * and forgets it in `gone`. Nothing here throws; a defect costs the connection it happened on, not the node.
 */
export interface PeerPart extends TickingPart {
  readonly handlers: MessageHandlers
  readonly raw?: RawHandlers
  readonly guards?: Guards
  /** Its `version` was answered; the handshake is not complete yet. */
  readonly greeted?: (peer: Peer) => void
  /** The handshake is complete. */
  readonly ready?: (peer: Peer) => void
  /** The send queue of the peer is empty. */
  readonly drained?: (peer: Peer) => void
  /** The connection has ended; ready or not. */
  readonly gone?: (peer: Peer) => void
}

/** Whether connections of a kind belong to a part. */
export const concerns = ({ onlyKind }: TickingPart, kind: PeerKind): boolean =>
  onlyKind === undefined ? kind !== "private-broadcast" : kind === onlyKind
