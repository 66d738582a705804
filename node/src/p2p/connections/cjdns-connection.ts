import { takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { Connection } from "../transport/transport.ts"

const flipped = (endpoint: Endpoint): Endpoint => ({ ...endpoint, address: takenForCjdns(endpoint.address) })

/** A connection over IPv6, of which each end is taken for one of CJDNS where it begins as all of that network do. */
export const cjdnsConnection = (connection: Connection): Connection => {
  const { local, remote } = connection
  return { ...connection, remote: flipped(remote), local: local === undefined ? undefined : flipped(local) }
}
