import type { Peer } from "./peer.ts"

/** The peers whose connection has not been ended, those without a handshake included. */
export const openConnections = (peers: ReadonlyMap<number, Peer>): ReadonlyArray<Peer> =>
  [...peers.values()].filter(({ isGone }) => !isGone)
