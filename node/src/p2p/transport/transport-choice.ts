import * as Effect from "effect/Effect"
import { type AddressKind, addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { isLan, isLocal } from "../../net/address-place.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import { DialError, type Transport } from "./transport.ts"
import { type Endpoint, isOverTcp, type TransportName } from "../../net/endpoint.ts"
import { byFront } from "../../front/front.ts"
import { settingName, settingTo, shortSettingName } from "../../front/setting-name.ts"

/** The transports of a node, one for each network. */
export interface TransportSet {
  /** Accepts connections, and dials those that no proxy does. */
  readonly direct: Transport
  /** Each dials addresses of its network; `names` dials names, which the proxy resolves. */
  readonly proxies: Readonly<Record<"ipv4" | "ipv6" | "onion" | "cjdns" | "names", Transport | undefined>>
  /** Dials addresses of I2P; absent if they are unreachable. */
  readonly i2p?: Transport | undefined
  /** True if this machine is in CJDNS, which is dialed as IPv6. */
  readonly hasCjdns?: boolean
  /** Accept and dial connections over QUIC and Iroh; absent if disabled. */
  readonly quic?: Transport | undefined
  readonly iroh?: Transport | undefined
  /** The only transport in use; absent if all are. */
  readonly only?: "quic" | "iroh" | undefined
}

const isLanPeer = (address: NetworkAddress): boolean => isLocal(address) || isLan(address)

/**
 * Returns the transport to a node, or `undefined` if it is unreachable. Nodes of the LAN are never reached through a
 * proxy, names always.
 */
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

/** Returns the networks in which peers are chosen: the reachable ones, restricted to `only` unless that is empty. */
export const reachableKinds = (
  { hasCjdns, i2p, only: way, proxies: { onion } }: TransportSet,
  only: ReadonlyArray<AddressKind> = []
): ReadonlySet<AddressKind> => {
  // Addresses in the addrman carry TCP ports.
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

/** Returns the names of the enabled transports. */
export const transportNamesOf = ({ iroh, only, quic }: TransportSet): ReadonlyArray<TransportName> =>
  only === undefined
    ? ["tcp", ...quic === undefined ? [] : ["quic" as const], ...iroh === undefined ? [] : ["iroh" as const]]
    : [only]

/** Settings for networks that not every node reaches. */
const MISSING: Readonly<Record<string, string>> = {
  onion: `name a proxy for onion services as ${settingName("[connections].onion_proxy")}, or Tor's control port as ${
    shortSettingName("[connections].tor_control")
  }`,
  i2p: `name an I2P router as ${settingName("[connections].i2p_sam")}`,
  cjdns: `set ${settingTo("[connections].cjdns_reachable", true)} where this machine is in CJDNS`
}

/** Settings that leave a single transport, by that transport. */
const ALONE = {
  quic:
    "transport_preference = \"quinnonly\" leaves QUIC alone: name its address as quic://host:port, or use \"hybrid\"",
  iroh:
    "transport_preference = \"irohonly\" leaves Iroh alone: name its address as iroh://identity@host:port, or use \"all\""
} as const

/** Settings for nodes over QUIC and Iroh, which Bitcoin Core's options do not have. */
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

/** Returns the setting that is missing for a node to be reached. */
const missing = ({ only }: TransportSet, { address, iroh, name, quic }: Endpoint): string => {
  if (quic !== undefined) return WANTED.quic
  if (iroh !== undefined) return WANTED.iroh
  if (only !== undefined) return ALONE[only]
  const kind = name === undefined ? addressKind(address) : undefined
  return (kind === undefined ? undefined : MISSING[kind]) ?? `name ${settingName("[connections].proxy")}`
}

/** Makes a transport that uses the right one for each address. */
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
