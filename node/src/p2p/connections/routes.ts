import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { P2pTell } from "../p2p-tell.ts"
import type { Connection, DialError, Endpoint } from "../transport/transport.ts"

/** Ways to networks: told when one works for the first time, and when our own proxy to it works no longer. */
export interface Routes {
  readonly reached: (target: Endpoint, connection: Connection) => void
  /** That a node does not answer says nothing about the way to its network; that our proxy does not, all. */
  readonly failed: (target: Endpoint, error: DialError) => void
}

/** `ipv4`, `onion` …; names are looked up by the proxy, so nobody here knows where they lead. */
const destinationOf = ({ address }: Endpoint): string => addressKind(address) ?? "name"

export const routes = (tell: P2pTell): Routes => {
  const works = new Map<string, boolean>()
  return {
    reached: (target, { local }) => {
      const destination = destinationOf(target)
      if (works.get(destination) === true) return
      works.set(destination, true)
      tell.event("RouteDiscovered", { destination, hops: local === undefined ? 1 : 0 })
    },
    failed: (target, { isProxy, message }) => {
      const destination = destinationOf(target)
      if (!isProxy || works.get(destination) === false) return
      works.set(destination, false)
      tell.event("RouteFailed", { destination, reason: message })
    }
  }
}
