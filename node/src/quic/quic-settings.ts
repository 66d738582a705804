import type { Milliseconds } from "../quantities.ts"
import type { NativeSettings } from "./quic-binding.ts"
import type { QuicKey } from "./quic-key.ts"

const SOCKET_BUFFER = 1_000_000

export interface QuicSettings {
  readonly key: QuicKey
  /** For a handshake. */
  readonly handshakeMs: Milliseconds
  /** A connection ends after so much silence. */
  readonly idleMs: Milliseconds
  /** Streams that the other side may have open at a time. */
  readonly streams: number
  /** Bytes that the other side may send before they are read here, on one stream and on all. */
  readonly window: number
}

/** What the binding is made with. */
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
