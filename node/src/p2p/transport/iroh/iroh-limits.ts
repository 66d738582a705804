import type { IrohConnection } from "./iroh-binding.ts"

/** Bytes that a peer may send before they are read here, on all of its streams. */
const WINDOW = 2_000_000n

/** Limits what a peer may send unread, and how many streams it may open. */
export const limitPeer = (native: IrohConnection, streams: bigint): void => {
  native.setReceiveWindow(WINDOW)
  native.setMaxConcurrentBiStreams(streams)
  native.setMaxConcurrentUniStreams(0n)
}
