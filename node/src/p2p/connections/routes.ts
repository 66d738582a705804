import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { P2pNotifications } from "../basics/p2p-notifications.ts"
import type { Connection, DialError } from "../transport/transport.ts"
import { type Endpoint, isOverTcp } from "../../net/endpoint.ts"

/** Routes to networks: reported when one works for the first time, and when this node's proxy to it fails. */
export interface Routes {
  readonly reached: (target: Endpoint, connection: Connection) => void
  /** Records a failure of a proxy. A node that does not answer says nothing about the route to its network. */
  readonly failed: (target: Endpoint, error: DialError) => void
}

/** Returns `ipv4`, `onion` and so on; `name` if the proxy resolves the name, so that the network is unknown. */
const destinationOf = ({ address }: Endpoint): string => addressKind(address) ?? "name"

export const routes = (notify: P2pNotifications): Routes => {
  const works = new Map<string, boolean>()
  return {
    reached: (target, { local }) => {
      const destination = destinationOf(target)
      if (works.get(destination) === true) return
      works.set(destination, true)
      const isDirect = (local !== undefined && destination !== "i2p") || !isOverTcp(target)
      notify.event("RouteDiscovered", {
        destination,
        path: isDirect ? [] : [destination === "i2p" ? "I2P router" : "proxy"]
      })
    },
    failed: (target, { isProxy, message }) => {
      const destination = destinationOf(target)
      if (!isProxy || works.get(destination) === false) return
      works.set(destination, false)
      notify.event("RouteFailed", { destination, reason: message })
    }
  }
}
