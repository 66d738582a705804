import { takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import type { Connection } from "../transport/transport.ts"

const flipped = (endpoint: Endpoint): Endpoint => ({ ...endpoint, address: takenForCjdns(endpoint.address) })

/** Wraps a connection over IPv6. Each end counts as an address of CJDNS if it begins with that network's prefix. */
export const cjdnsConnection = (connection: Connection): Connection => {
  const { local, remote } = connection
  return { ...connection, remote: flipped(remote), local: local === undefined ? undefined : flipped(local) }
}
