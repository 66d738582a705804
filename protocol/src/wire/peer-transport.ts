import type * as Result from "effect/Result"
import type { FrameFault } from "./fault.ts"
import type { Frame } from "./frame-reader.ts"

/**
 * The transport of a connection, by Bitcoin Core's names. `detecting`: not decided yet. `quic` and `iroh`: v1 messages,
 * each after its length, on a stream of QUIC or Iroh.
 */
export type TransportKind = "detecting" | "v1" | "v2" | "quic" | "iroh"

/** A message as received, and its bytes on the wire. */
export interface ArrivedFrame {
  readonly frame: Frame
  readonly bytes: number
}

/** Receiver of a transport's output. */
export interface TransportOutput {
  /** Sends bytes after all earlier ones. `isOwned` is true if the buffer has no other owner. */
  readonly bytes: (bytes: Uint8Array, isOwned: boolean) => void
  /** Reports that a message of this many bytes is among them. */
  readonly message: (command: string, bytes: number) => void
}

/** Converts messages to the bytes of a connection and back. */
export interface PeerTransport {
  readonly kind: () => TransportKind
  /** Identifier of an encrypted connection, which both sides know. */
  readonly sessionId: () => Uint8Array | undefined
  /** Called when the connection is open. */
  readonly begin: () => void
  /**
   * Adds bytes that have arrived. Call `read` until it returns nothing before the next call; then the buffer may be
   * reused.
   */
  readonly feed: (bytes: Uint8Array) => void
  /**
   * Returns the next message, or `undefined` if more must arrive. After a fault that `endsConnection` nothing more can
   * be read.
   */
  readonly read: () => Result.Result<ArrivedFrame | undefined, FrameFault>
  /** Returns the number of bytes held for the peer. */
  readonly held: () => number
  /** Releases them; nothing more of this connection will be read. */
  readonly abandon: () => void
  /** Sends a message as soon as possible. */
  readonly send: (command: string, payload: Uint8Array, isOwned: boolean) => void
}

/** Size from which payloads are sent separately; copying them would cost more than a second write. */
export const LARGE = 65_536
