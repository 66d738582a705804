import type { Peer } from "./peer.ts"

/** Returns the peers whose connection has not ended, including those without a handshake. */
export const openConnections = (peers: ReadonlyMap<number, Peer>): ReadonlyArray<Peer> =>
  [...peers.values()].filter(({ isGone }) => !isGone)
