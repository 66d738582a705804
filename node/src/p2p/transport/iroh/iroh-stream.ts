import type { OneStream, StreamOwner } from "../quic/quic-connection.ts"
import type { IrohConnection, IrohStream } from "./iroh-binding.ts"

/** Bytes that cross the binding at a time. Each is a number in an array, which keeps the main thread busy. */
const AT_A_TIME = 65_536

/** Adapts a connection to the interface of QUIC. */
export const ownerOf = (native: IrohConnection): StreamOwner => {
  let isClosedByPeer = false
  return {
    abort: () => native.close(0n, []),
    closed: async () => {
      isClosedByPeer = (await native.closed()).startsWith("closed by peer")
    },
    stats: () => ({ frameRxConnectionClose: isClosedByPeer ? 1 : 0 })
  }
}

/** Adapts a stream to the interface of QUIC. */
export const streamOf = ({ recv, send }: IrohStream): OneStream => ({
  read: async (most) => {
    const bytes = await recv.read(Math.min(most, AT_A_TIME))
    return bytes.length === 0 ? null : Uint8Array.from(bytes)
  },
  write: async (bytes) => {
    for (let at = 0; at < bytes.length; at += AT_A_TIME) {
      await send.writeAll(Array.from(bytes.subarray(at, at + AT_A_TIME)))
    }
  }
})
