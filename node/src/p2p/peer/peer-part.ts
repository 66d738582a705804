import type { UnixMilliseconds } from "../../quantities.ts"
import type { Command, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import type { PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Peer, PeerKind } from "./peer.ts"

/** Handles a message of one command. The peer's next message waits until this is done. */
export type MessageHandler<C extends Command> = (peer: Peer, message: MessageOf<C>) => Effect.Effect<void>

/** Handlers by command. Each command belongs to one part. */
export type MessageHandlers = { readonly [C in Command]?: MessageHandler<C> }

/** The result for a payload: the work to do, or the fault of the payload. */
export type Dispatched = Result.Result<Effect.Effect<void>, PayloadFault>

/**
 * Handlers of undecoded payloads, for messages whose decoded form may take far more memory. They report the faults that
 * a codec would, and ignore bytes behind the message as codecs do.
 */
export type RawHandlers = { readonly [C in Command]?: (peer: Peer, payload: Uint8Array) => Dispatched }

/** Inspects a payload first. Its result, if any, replaces the handler's work. */
export type Guard = (peer: Peer, payload: Uint8Array) => Effect.Effect<void> | undefined

/** Guards by command, for commands that the same part handles. */
export type Guards = { readonly [C in Command]?: Guard }

/** Periodic work of a part, or of something on top of the host. */
export interface TickingPart {
  readonly name: string
  /** The only kind of connections that belong to this part. If absent, all other kinds do. */
  readonly onlyKind?: "private-broadcast"
  /** Called ten times a second and after each message, for a ready peer; sends what is due unrequested. */
  readonly tick?: (peer: Peer, now: UnixMilliseconds) => void
  /** Called ten times a second, once for all peers. */
  readonly tickAll?: (now: UnixMilliseconds) => void
}

/**
 * A part of the network layer, such as sync, relay, serving or addresses. A part keeps its own state by `peer.id` and
 * drops it in `gone`. Its functions do not throw; a defect costs the connection on which it occurred, not the node.
 */
export interface PeerPart extends TickingPart {
  readonly handlers: MessageHandlers
  readonly raw?: RawHandlers
  readonly guards?: Guards
  /** Called after its `version` was answered; the handshake is not complete yet. */
  readonly greeted?: (peer: Peer) => void
  /** Called when the handshake is complete. */
  readonly ready?: (peer: Peer) => void
  /** Called when the send queue of the peer is empty. */
  readonly drained?: (peer: Peer) => void
  /** Called when the connection has ended, ready or not. */
  readonly gone?: (peer: Peer) => void
}

/** True if connections of a kind belong to a part. */
export const concerns = ({ onlyKind }: TickingPart, kind: PeerKind): boolean =>
  onlyKind === undefined ? kind !== "private-broadcast" : kind === onlyKind
