import type { NativeStream } from "../../../quic/quic-binding.ts"

/**
 * What the node that connects sends first. The binding for QUIC can name no protocol of its own in the handshake (ALPN),
 * so this keeps nodes of other networks of libp2p apart. A stream is also seen by the other side only once it carries
 * bytes.
 */
export const PREAMBLE: Uint8Array = Uint8Array.from("bitcoin\n", (character) => character.charCodeAt(0))

/** Reads the preamble, and nothing behind it. Whether it came. */
export const readPreamble = async (stream: Pick<NativeStream, "read">): Promise<boolean> => {
  let received = 0
  while (received < PREAMBLE.length) {
    const bytes = await stream.read(PREAMBLE.length - received)
    if (bytes === null || bytes.some((byte, at) => byte !== PREAMBLE[received + at])) return false
    received += bytes.length
  }
  return true
}
