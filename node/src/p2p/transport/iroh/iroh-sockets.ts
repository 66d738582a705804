import * as Effect from "effect/Effect"
import { networkInterfaces } from "node:os"
import { AddressNetwork, type NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { isLocal } from "../../../net/address-place.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { endpointText, parseEndpoint } from "../../../net/endpoint-text.ts"
import { ListenError } from "../transport.ts"
import type { IrohBinding, IrohSockets } from "./iroh-binding.ts"
import { libraryFault } from "./iroh-fault.ts"

/** The protocol that both sides name in the handshake (ALPN). */
export const PROTOCOL: ReadonlyArray<number> = [...Buffer.from("lockstep/bitcoin/1")]

/** True for an address of the IPv6 family; `undefined` if Iroh cannot reach the address's network. */
export const isIpv6 = ({ network }: NetworkAddress): boolean | undefined => {
  if (network === AddressNetwork.IPV4) return false
  return network === AddressNetwork.IPV6 || network === AddressNetwork.CJDNS ? true : undefined
}

const hasLocalIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1") === true)

/**
 * Returns the addresses to bind for a listening endpoint. The library has one socket for each family. With an endpoint
 * on the loopback interface, the other family is bound there too; otherwise to any address.
 */
export const placesFor = ({ address, port }: Pick<Endpoint, "address" | "port">): ReadonlyArray<string> => {
  const place = endpointText({ address, port })
  if (!isLocal(address)) return [place]
  if (isIpv6(address) === true) return [place, "127.0.0.1:0"]
  return hasLocalIpv6() ? [place, "[::1]:0"] : [place]
}

const LISTEN_REASONS: ReadonlyArray<readonly [sign: RegExp, remedy: string]> = [
  [/AddrInUse|os error 98|code: 98/i, "another program listens there: stop it, or choose another address"],
  [/AddrNotAvailable|os error 99|code: 99/i, "this machine has no such address: choose another one"],
  [/PermissionDenied|os error 13|code: 13/i, "this user may not listen there: choose a port above 1023"]
]

const listenError = (place: string, cause: unknown): ListenError => {
  const text = libraryFault(cause)
  const remedy = LISTEN_REASONS.find(([sign]) => sign.test(String(cause)))?.[1]
  const message = `cannot listen for other nodes on ${place}: ${
    remedy === undefined ? text : `${remedy} with [connections].iroh_listen_addr`
  }`
  return new ListenError({ message })
}

/** Opens sockets without relays and without address lookup. The caller closes them. */
export const openSockets = (
  binding: IrohBinding,
  seed: Uint8Array,
  bind: Pick<Endpoint, "address" | "iroh" | "port">
): Effect.Effect<IrohSockets, ListenError> =>
  Effect.tryPromise({
    try: async (signal) => {
      const builder = binding.Endpoint.builder()
      builder.applyMinimal()
      builder.relayMode(binding.RelayMode.disabled())
      builder.secretKey(Array.from(seed))
      builder.alpns([PROTOCOL])
      for (const place of placesFor(bind)) builder.bindAddr(place)
      const sockets = await builder.bind()
      if (signal.aborted) await sockets.close()
      return sockets
    },
    catch: (cause) => listenError(endpointText(bind), cause)
  })

/** Returns the bound port in the family of an address. */
export const boundPort = (sockets: IrohSockets, address: NetworkAddress): number =>
  sockets.boundSockets().flatMap((text) => parseEndpoint(text, 0) ?? [])
    .find((place) => isIpv6(place.address) === isIpv6(address))?.port ?? 0
