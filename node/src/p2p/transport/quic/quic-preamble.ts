import type { NativeStream } from "../../../quic/quic-binding.ts"

/**
 * First bytes that the connecting node sends. The binding for QUIC cannot name a protocol of its own in the handshake
 * (ALPN), so they separate nodes of other networks of libp2p. The other side also sees a stream only once it carries
 * bytes.
 */
export const PREAMBLE: Uint8Array = Uint8Array.from("bitcoin\n", (character) => character.charCodeAt(0))

/** Reads the preamble, and nothing behind it. Returns false for any other bytes. */
export const readPreamble = async (stream: Pick<NativeStream, "read">): Promise<boolean> => {
  let received = 0
  while (received < PREAMBLE.length) {
    const bytes = await stream.read(PREAMBLE.length - received)
    if (bytes === null || bytes.some((byte, at) => byte !== PREAMBLE[received + at])) return false
    received += bytes.length
  }
  return true
}
