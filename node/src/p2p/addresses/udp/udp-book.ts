import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../../../net/address-place.ts"
import { endpointText } from "../../../net/endpoint-text.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { type UnixSeconds, unixSeconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import { SECONDS } from "../../../units.ts"

/** A node over QUIC or Iroh that peers have named. Times are Unix seconds; 0: never. */
export interface UdpNode {
  readonly endpoint: Endpoint
  /** The network group of the peer that named it first. */
  readonly source: string
  services: bigint
  /** When it was last seen, as peers say. */
  time: UnixSeconds
  lastTry: UnixSeconds
  lastSuccess: UnixSeconds
  /** Attempts since the last success. */
  attempts: number
}

/** Nodes over QUIC and Iroh. Its name of a node is its address with the identity, so that no other can take its place. */
export interface UdpBook {
  /** Notes a node; answers whether it was not known, and there was room for it. */
  readonly add: (endpoint: Endpoint, services: bigint, time: UnixSeconds, source: NetworkAddress) => boolean
  /** A node to connect to, by chance, of those that `isFree` lets pass. */
  readonly choose: (isFree: (endpoint: Endpoint) => boolean) => Endpoint | undefined
  readonly attempted: (endpoint: Endpoint, isReached: boolean) => void
  /** Nodes for an answer to a peer, by chance: all were seen lately. */
  readonly sample: (most: number) => ReadonlyArray<UdpNode>
  readonly list: () => ReadonlyArray<UdpNode>
}

const { failures, horizon, retries, udpNodes, udpNodesPerSource } = ADDRESS_LIMITS

const NEVER = unixSeconds(0)

/** Whether it is not worth keeping. */
const isHopeless = ({ attempts, lastSuccess, time }: UdpNode, now: UnixSeconds): boolean =>
  now - Math.max(time, lastSuccess) > horizon.most || attempts >= (lastSuccess === 0 ? retries.most : failures.most)

/** Whether it was not tried within a minute. A clock that was moved back does not hold a node back. */
const isRested = ({ lastTry }: UdpNode, now: UnixSeconds): boolean => Math.abs(now - lastTry) > SECONDS.minute

const shuffled = <A>(all: ReadonlyArray<A>, { below }: Pick<Random, "below">): ReadonlyArray<A> => {
  const left = [...all]
  return all.map(() => left.splice(below(left.length), 1)[0]!)
}

export const udpBook = (
  now: () => UnixSeconds,
  random: Pick<Random, "below">,
  kept: ReadonlyArray<UdpNode> = []
): UdpBook => {
  const nodes = new Map(kept.map((node) => [endpointText(node.endpoint), node]))

  const dropHopeless = (): void => {
    for (const [key, node] of nodes) if (isHopeless(node, now())) nodes.delete(key)
  }

  /** One peer, or many of one network, must not fill it. A full book drops a node that never answered. */
  const hasRoom = (source: string): boolean => {
    const all = [...nodes]
    if (all.filter(([, node]) => node.source === source && node.lastSuccess === 0).length >= udpNodesPerSource.most) {
      return false
    }
    if (nodes.size < udpNodes.most) return true
    const untried = all.filter(([, { lastSuccess }]) => lastSuccess === 0)
    const dropped = untried[random.below(Math.max(1, untried.length))]
    if (dropped !== undefined) nodes.delete(dropped[0])
    return dropped !== undefined
  }

  return {
    add: (endpoint, services, time, from) => {
      const key = endpointText(endpoint)
      const known = nodes.get(key)
      if (known !== undefined) {
        if (time > known.time) known.time = time
        known.services = services
        return false
      }
      dropHopeless()
      const source = networkGroup(from)
      if (!hasRoom(source)) return false
      nodes.set(key, { endpoint, source, services, time, lastTry: NEVER, lastSuccess: NEVER, attempts: 0 })
      return true
    },
    choose: (isFree) => {
      dropHopeless()
      const free = [...nodes.values()].filter((node) => isRested(node, now()) && isFree(node.endpoint))
      return free[random.below(Math.max(1, free.length))]?.endpoint
    },
    attempted: (endpoint, isReached) => {
      const node = nodes.get(endpointText(endpoint))
      if (node === undefined) return
      node.lastTry = now()
      node.attempts = isReached ? 0 : node.attempts + 1
      if (isReached) node.lastSuccess = node.lastTry
    },
    sample: (most) => shuffled([...nodes.values()].filter((node) => !isHopeless(node, now())), random).slice(0, most),
    list: () => [...nodes.values()]
  }
}
