import type { IrohConnection } from "./iroh-binding.ts"

/** Bytes that a peer may send on all of its streams before they are read. */
const WINDOW = 2_000_000n

/** Limits the unread bytes and the number of streams of a peer. */
export const limitPeer = (native: IrohConnection, streams: bigint): void => {
  native.setReceiveWindow(WINDOW)
  native.setMaxConcurrentBiStreams(streams)
  native.setMaxConcurrentUniStreams(0n)
}
