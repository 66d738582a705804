import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { AddressNetwork, type NetworkAddress, startsWith } from "@lockstep/protocol/wire/address/network-address.ts"
import { carriedIpv4 } from "../../net/address-place.ts"
import type { OwnAddress } from "./own-address.ts"
import { connectedThrough, type Peer } from "../peer/peer.ts"

/** Rank of how well a peer reaches an address (Core: `CNetAddr::GetReachabilityFrom`). */
const Reach = { NONE: 0, DEFAULT: 1, TEREDO: 2, IPV6_WEAK: 3, IPV4: 4, IPV6_STRONG: 5, PRIVATE: 6 } as const

/** Networks whose addresses must not be linked with addresses of other networks. */
const HIDDEN: ReadonlySet<AddressKind | undefined> = new Set(["onion", "i2p"])

type Class = AddressKind | "teredo" | undefined

const TEREDO = Uint8Array.of(0x20, 0x01, 0, 0)

const isTeredo = ({ bytes, network }: NetworkAddress): boolean =>
  network === AddressNetwork.IPV6 && startsWith(bytes, TEREDO)

const classOf = (address: NetworkAddress): Class => {
  if (!isRoutable(address)) return undefined
  return isTeredo(address) ? "teredo" : addressKind(address)
}

const fromIpv6 = (own: Class, isTunnel: boolean): number => {
  if (own === "teredo") return Reach.TEREDO
  if (own === "ipv4") return Reach.IPV4
  if (own !== "ipv6") return Reach.DEFAULT
  return isTunnel ? Reach.IPV6_WEAK : Reach.IPV6_STRONG
}

const fromOther = (own: Class): number => {
  if (own === "teredo") return Reach.TEREDO
  if (own === "ipv6") return Reach.IPV6_WEAK
  return own === "ipv4" ? Reach.IPV4 : Reach.DEFAULT
}

const reachFrom = (address: NetworkAddress, peer: Class): number => {
  const own = classOf(address)
  if (own === undefined) return Reach.NONE
  switch (peer) {
    case "ipv4":
      return own === "ipv4" ? Reach.IPV4 : Reach.DEFAULT
    case "ipv6":
      return fromIpv6(own, !isTeredo(address) && carriedIpv4(address.bytes) !== undefined)
    case "onion":
      return own === "onion" ? Reach.PRIVATE : own === "ipv4" ? Reach.IPV4 : Reach.DEFAULT
    case "i2p":
    case "cjdns":
      return own === peer ? Reach.PRIVATE : Reach.DEFAULT
    default:
      return own === "onion" ? Reach.PRIVATE : fromOther(own)
  }
}

/**
 * Returns the address of this node to advertise to a peer: the one that it reaches best, then the one with the highest
 * score. Peers in the networks of Tor and I2P get addresses of their network only, and no other peer gets these.
 * Otherwise the addresses could be linked.
 */
export const advertisedAddress = (
  own: ReadonlyArray<OwnAddress>,
  peer: Pick<Peer, "endpoint" | "network">
): OwnAddress | undefined => {
  const through = connectedThrough(peer)
  const from = peer.network === undefined ? classOf(peer.endpoint.address) : undefined
  let best: OwnAddress | undefined
  let bestReach = 0
  for (const each of own) {
    const kind = addressKind(each.address)
    if (kind !== through && (HIDDEN.has(kind) || HIDDEN.has(through))) continue
    const reach = reachFrom(each.address, from)
    if (reach > bestReach || (reach === bestReach && best !== undefined && each.score > best.score)) {
      best = each
      bestReach = reach
    }
  }
  return best
}
