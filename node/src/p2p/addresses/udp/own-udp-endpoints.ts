import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { type Endpoint, isOverTcp } from "../../../net/endpoint.ts"

/**
 * Returns the endpoints at which others reach this node over QUIC and Iroh. A wildcard listening address becomes one
 * endpoint for each of `own` of its family.
 */
export const ownUdpEndpoints = (
  listening: ReadonlyArray<Endpoint>,
  own: ReadonlyArray<Endpoint>
): ReadonlyArray<Endpoint> =>
  listening.filter((place) => !isOverTcp(place)).flatMap((place) =>
    place.address.bytes.some((byte) => byte !== 0)
      ? [place]
      : own.filter(({ address }) => address.network === place.address.network && isRoutable(address))
        .map(({ address }) => ({ ...place, address }))
  )
