import type { Crypto } from "@lockstep/kernel/crypto"
import * as Result from "effect/Result"
import { encodeFrame, FRAME_HEADER_SIZE, frameHeader } from "./frame.ts"
import { abandon, feed, type Frame, frameReader, heldBytes, readFrame } from "./frame-reader.ts"
import type { ProtocolLimits } from "./limits.ts"
import { LARGE, type PeerTransport, type TransportOutput } from "./peer-transport.ts"

/** Options of a transport without encryption. */
export interface V1TransportOptions {
  readonly magic: Uint8Array
  readonly crypto: Crypto
  readonly limits: ProtocolLimits
  readonly output: TransportOutput
}

const sizeOf = (frame: Frame): number =>
  FRAME_HEADER_SIZE + (frame._tag === "Known" ? frame.payload.length : frame.length)

/** Opens a transport of plain message frames. */
export const v1Transport = ({ crypto, limits, magic, output }: V1TransportOptions): PeerTransport => {
  const reader = frameReader(magic, crypto, limits)
  return {
    kind: () => "v1",
    sessionId: () => undefined,
    begin: () => undefined,
    feed: (bytes) => feed(reader, bytes),
    read: () => Result.map(readFrame(reader), (frame) => frame && { frame, bytes: sizeOf(frame) }),
    held: () => heldBytes(reader),
    abandon: () => abandon(reader),
    send: (command, payload, isOwned) => {
      if (payload.length < LARGE) output.bytes(encodeFrame(magic, command, payload, crypto), false)
      else {
        output.bytes(frameHeader(magic, command, payload, crypto), false)
        output.bytes(payload, isOwned)
      }
      output.message(command, FRAME_HEADER_SIZE + payload.length)
    }
  }
}
