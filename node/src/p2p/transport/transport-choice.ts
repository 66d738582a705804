import * as Effect from "effect/Effect"
import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { isLan, isLocal } from "../../net/address-place.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import { DialError, type Transport } from "./transport.ts"
import type { Endpoint } from "../../net/endpoint.ts"

/** Ways of reaching nodes. */
export interface Ways {
  /** Takes connections, and dials what no proxy does. */
  readonly direct: Transport
  /** Each dials addresses of its kind; `names` dials those that it looks up itself. */
  readonly proxies: Readonly<Record<"ipv4" | "ipv6" | "onion" | "cjdns" | "names", Transport | undefined>>
  /** Dials addresses of I2P; none: none are reached. */
  readonly i2p?: Transport | undefined
  /** Whether this machine has a way into CJDNS, which is dialed as IPv6. */
  readonly hasCjdns?: boolean
  /** Takes and dials connections over QUIC; none: there are none. */
  readonly quic?: Transport | undefined
  /** Whether no node is reached in any other way. */
  readonly isQuicOnly?: boolean
}

const isLanPeer = (address: NetworkAddress): boolean => isLocal(address) || isLan(address)

/** How a node is reached; none: not at all. Nodes of the LAN are never reached through a proxy, names always. */
export const wayTo = (
  { direct, hasCjdns, i2p, isQuicOnly, proxies, quic }: Ways,
  { address, name, quic: end }: Pick<Endpoint, "address" | "name" | "quic">
): Transport | undefined => {
  if (end !== undefined) return quic
  if (isQuicOnly === true) return undefined
  if (name !== undefined) return proxies.names
  const kind = addressKind(address)
  if (kind === "onion") return proxies.onion
  if (kind === "i2p") return i2p
  if (kind === "ipv4" || kind === "ipv6") return isLanPeer(address) ? direct : proxies[kind] ?? direct
  return kind === "cjdns" && hasCjdns === true ? proxies.cjdns ?? direct : undefined
}

/**
 * Kinds of addresses in which peers are chosen: those that can be reached, and of them those in `only` where it names
 * any.
 */
export const reachableKinds = (
  { hasCjdns, i2p, isQuicOnly, proxies: { onion } }: Ways,
  only: ReadonlyArray<AddressKind> = []
): ReadonlySet<AddressKind> => {
  // Addresses of addrman name ports of TCP.
  if (isQuicOnly === true) return new Set()
  const kinds: ReadonlyArray<AddressKind> = [
    "ipv4",
    "ipv6",
    ...onion === undefined ? [] : ["onion" as const],
    ...i2p === undefined ? [] : ["i2p" as const],
    ...hasCjdns === true ? ["cjdns" as const] : []
  ]
  return new Set(kinds.filter((kind) => only.length === 0 || only.includes(kind)))
}

/** What reaches addresses of a kind that not every node reaches. */
const MISSING: Readonly<Record<string, string>> = {
  onion: "name a proxy for onion services as [connections].onion_proxy, or Tor's control port as tor_control",
  i2p: "name an I2P router as [connections].i2p_sam",
  cjdns: "set [connections].cjdns_reachable = true where this machine is in CJDNS"
}

/** What is missing for a node to be reached. */
const missing = ({ isQuicOnly }: Ways, { address, name, quic }: Endpoint): string => {
  if (quic !== undefined) return "set transport_preference = \"hybrid\" or \"quinnonly\" for nodes that QUIC reaches"
  if (isQuicOnly === true) {
    return "transport_preference = \"quinnonly\" leaves QUIC alone: name its address as quic://host:port, or use \"hybrid\""
  }
  const kind = name === undefined ? addressKind(address) : undefined
  return (kind === undefined ? undefined : MISSING[kind]) ?? "name [connections].proxy"
}

/** One transport that uses the right route to each address. */
export const chosenTransport = (ways: Ways): Transport => ({
  name: ways.direct.name,
  dial: (target, accept) => {
    const way = wayTo(ways, target)
    if (way !== undefined) return way.dial(target, accept)
    const message = `${endpointText(target)} cannot be reached: ${missing(ways, target)}`
    return Effect.fail(new DialError({ message, isProxy: false }))
  },
  listen: (bind, accept, how) => {
    const way = bind.quic === undefined ? ways.direct : ways.quic ?? ways.direct
    return way.listen(bind, accept, how)
  }
})
