import { type Subnet, subnetHolds } from "../../net/subnet.ts"
import type { Peer } from "../peer/peer.ts"

/** Disconnects the peers in a banned subnet. */
export const disconnectBanned = (subnet: Subnet, peers: ReadonlyMap<number, Peer>): void => {
  for (const peer of peers.values()) {
    if (subnetHolds(subnet, peer.endpoint.address)) peer.disconnect({ _tag: "AddressBanned" })
  }
}
