import type { OneStream, StreamOwner } from "../quic/quic-connection.ts"
import type { IrohConnection, IrohStream } from "./iroh-binding.ts"

/** Bytes that cross the binding at a time: each is a number of an array, which keeps the main thread busy. */
const AT_A_TIME = 65_536

/** A connection as the one of QUIC is used. */
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

/** A stream as the one of QUIC is used. */
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
