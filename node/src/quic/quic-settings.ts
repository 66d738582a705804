import type { Milliseconds } from "../quantities.ts"
import type { NativeSettings } from "./quic-binding.ts"
import type { QuicKey } from "./quic-key.ts"

const SOCKET_BUFFER = 1_000_000

export interface QuicSettings {
  readonly key: QuicKey
  /** Timeout of a handshake. */
  readonly handshakeMs: Milliseconds
  /** Time without traffic after which a connection ends. */
  readonly idleMs: Milliseconds
  /** Maximum number of streams that the other side may have open. */
  readonly streams: number
  /** Maximum number of unread bytes that the other side may send, on one stream and on all. */
  readonly window: number
}

/** Converts settings into those of the binding. */
export const quicSettings = ({ handshakeMs, idleMs, key, streams, window }: QuicSettings): NativeSettings => ({
  privateKeyProto: key.encoded,
  handshakeTimeout: handshakeMs,
  shutdownTimeout: 1_000,
  maxIdleTimeout: idleMs,
  keepAliveInterval: Math.floor(idleMs / 3),
  maxConcurrentStreamLimit: streams,
  maxStreamData: window,
  maxConnectionData: window,
  receiveBufferSize: SOCKET_BUFFER,
  sendBufferSize: SOCKET_BUFFER
})
