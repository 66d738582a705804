import type * as Result from "effect/Result"
import type { FrameFault } from "./fault.ts"
import type { Frame } from "./frame-reader.ts"

/**
 * Which transport a connection uses, by Bitcoin Core's names; `detecting`: that is not settled yet; `quic` and
 * `iroh`: messages of v1, each behind its length, on a stream of QUIC or Iroh.
 */
export type TransportKind = "detecting" | "v1" | "v2" | "quic" | "iroh"

/** A message as it arrived, and the bytes that it took on the way. */
export interface ArrivedFrame {
  readonly frame: Frame
  readonly bytes: number
}

/** What a transport hands out. */
export interface TransportOutput {
  /** Bytes to send after all before them. `isOwned`: the buffer has no other owner. */
  readonly bytes: (bytes: Uint8Array, isOwned: boolean) => void
  /** A message is among them; it takes so many. */
  readonly message: (command: string, bytes: number) => void
}

/** Turns messages into the bytes of a connection and back. */
export interface PeerTransport {
  readonly kind: () => TransportKind
  /** What both sides of an encrypted connection know it by. */
  readonly sessionId: () => Uint8Array | undefined
  /** The connection is open. */
  readonly begin: () => void
  /**
   * What has arrived. Call `read` until it answers nothing before the next piece: then the buffer may be used again.
   */
  readonly feed: (bytes: Uint8Array) => void
  /**
   * The next message; nothing where more must arrive first. After a fault that `endsConnection` there is nothing more to
   * read.
   */
  readonly read: () => Result.Result<ArrivedFrame | undefined, FrameFault>
  /** Bytes that are held for the peer. */
  readonly held: () => number
  /** Releases them: nothing more of this connection will be read. */
  readonly abandon: () => void
  /** Sends a message, as soon as that is possible. */
  readonly send: (command: string, payload: Uint8Array, isOwned: boolean) => void
}

/** Payloads from this size on are sent by themselves: copying them would cost more than a second write. */
export const LARGE = 65_536
