import * as Effect from "effect/Effect"
import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { isLan, isLocal } from "../../net/address-place.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import { DialError, type Transport } from "./transport.ts"
import { type Endpoint, isOverTcp, type TransportName } from "../../net/endpoint.ts"
import { byFront } from "../../front/front.ts"
import { settingName, settingTo, shortSettingName } from "../../front/setting-name.ts"

/** The transports of a node, one for each kind of address. */
export interface TransportSet {
  /** Takes connections, and dials what no proxy does. */
  readonly direct: Transport
  /** Each dials addresses of its kind; `names` dials those that it looks up itself. */
  readonly proxies: Readonly<Record<"ipv4" | "ipv6" | "onion" | "cjdns" | "names", Transport | undefined>>
  /** Dials addresses of I2P; none: none are reached. */
  readonly i2p?: Transport | undefined
  /** Whether this machine has a way into CJDNS, which is dialed as IPv6. */
  readonly hasCjdns?: boolean
  /** Take and dial connections over QUIC and Iroh; none: there are none. */
  readonly quic?: Transport | undefined
  readonly iroh?: Transport | undefined
  /** The one way in which nodes are reached; none: in all of them. */
  readonly only?: "quic" | "iroh" | undefined
}

const isLanPeer = (address: NetworkAddress): boolean => isLocal(address) || isLan(address)

/** How a node is reached; none: not at all. Nodes of the LAN are never reached through a proxy, names always. */
export const transportTo = (
  { direct, hasCjdns, i2p, iroh, only, proxies, quic }: TransportSet,
  { address, iroh: irohEnd, name, quic: quicEnd }: Pick<Endpoint, "address" | "iroh" | "name" | "quic">
): Transport | undefined => {
  if (quicEnd !== undefined) return quic
  if (irohEnd !== undefined) return iroh
  if (only !== undefined) return undefined
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
  { hasCjdns, i2p, only: way, proxies: { onion } }: TransportSet,
  only: ReadonlyArray<AddressKind> = []
): ReadonlySet<AddressKind> => {
  // Addresses of addrman name ports of TCP.
  if (way !== undefined) return new Set()
  const kinds: ReadonlyArray<AddressKind> = [
    "ipv4",
    "ipv6",
    ...onion === undefined ? [] : ["onion" as const],
    ...i2p === undefined ? [] : ["i2p" as const],
    ...hasCjdns === true ? ["cjdns" as const] : []
  ]
  return new Set(kinds.filter((kind) => only.length === 0 || only.includes(kind)))
}

/** The names of the transports that are there. */
export const transportNamesOf = ({ iroh, only, quic }: TransportSet): ReadonlyArray<TransportName> =>
  only === undefined
    ? ["tcp", ...quic === undefined ? [] : ["quic" as const], ...iroh === undefined ? [] : ["iroh" as const]]
    : [only]

/** What reaches addresses of a kind that not every node reaches. */
const MISSING: Readonly<Record<string, string>> = {
  onion: `name a proxy for onion services as ${settingName("[connections].onion_proxy")}, or Tor's control port as ${
    shortSettingName("[connections].tor_control")
  }`,
  i2p: `name an I2P router as ${settingName("[connections].i2p_sam")}`,
  cjdns: `set ${settingTo("[connections].cjdns_reachable", true)} where this machine is in CJDNS`
}

/** What leaves no way but one, by that way. */
const ALONE = {
  quic:
    "transport_preference = \"quinnonly\" leaves QUIC alone: name its address as quic://host:port, or use \"hybrid\"",
  iroh:
    "transport_preference = \"irohonly\" leaves Iroh alone: name its address as iroh://identity@host:port, or use \"all\""
} as const

/** What lets a node reach others than over TCP, which Bitcoin Core's options cannot say. */
const WANTED = byFront({
  lockstep: {
    quic: "set transport_preference = \"hybrid\" or \"quinnonly\" for nodes that QUIC reaches",
    iroh: "set transport_preference = \"all\" or \"irohonly\" for nodes that Iroh reaches"
  },
  bitcoind: {
    quic: "this program knows TCP alone: give an address without quic://",
    iroh: "this program knows TCP alone: give an address without iroh://"
  }
})

/** What is missing for a node to be reached. */
const missing = ({ only }: TransportSet, { address, iroh, name, quic }: Endpoint): string => {
  if (quic !== undefined) return WANTED.quic
  if (iroh !== undefined) return WANTED.iroh
  if (only !== undefined) return ALONE[only]
  const kind = name === undefined ? addressKind(address) : undefined
  return (kind === undefined ? undefined : MISSING[kind]) ?? `name ${settingName("[connections].proxy")}`
}

/** One transport that uses the right route to each address. */
export const chosenTransport = (transports: TransportSet): Transport => ({
  name: transports.direct.name,
  dial: (target, accept) => {
    const way = transportTo(transports, target)
    if (way !== undefined) return way.dial(target, accept)
    const message = `${endpointText(target)} cannot be reached: ${missing(transports, target)}`
    return Effect.fail(new DialError({ message, isProxy: false }))
  },
  listen: (bind, accept, how) => {
    const way = isOverTcp(bind) ? transports.direct : transportTo(transports, bind) ?? transports.direct
    return way.listen(bind, accept, how)
  }
})
