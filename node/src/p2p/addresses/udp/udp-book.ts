import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { networkGroup } from "../../../net/address-place.ts"
import { endpointText } from "../../../net/endpoint-text.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import { type UnixSeconds, unixSeconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import { SECONDS } from "../../../units.ts"

/** A node over QUIC or Iroh that peers have named. Times are Unix seconds; 0 means never. */
export interface UdpNode {
  readonly endpoint: Endpoint
  /** Network group of the peer that named it first. */
  readonly source: string
  services: bigint
  /** Time at which it was last seen, as peers report. */
  time: UnixSeconds
  lastTry: UnixSeconds
  lastSuccess: UnixSeconds
  /** Attempts since the last success. */
  attempts: number
}

/** Nodes over QUIC and Iroh. The key of a node includes its identity, so that no other node can replace it. */
export interface UdpBook {
  /** Adds a node. Returns true if it was unknown and fits. */
  readonly add: (endpoint: Endpoint, services: bigint, time: UnixSeconds, source: NetworkAddress) => boolean
  /** Chooses a random node to connect to among those that `isFree` accepts. */
  readonly choose: (isFree: (endpoint: Endpoint) => boolean) => Endpoint | undefined
  readonly attempted: (endpoint: Endpoint, isReached: boolean) => void
  /** Returns random, recently seen nodes for an answer to a peer. */
  readonly sample: (most: number) => ReadonlyArray<UdpNode>
  readonly list: () => ReadonlyArray<UdpNode>
}

const { failures, horizon, retries, udpNodes, udpNodesPerSource } = ADDRESS_LIMITS

const NEVER = unixSeconds(0)

/** True if the node is not worth keeping. */
const isHopeless = ({ attempts, lastSuccess, time }: UdpNode, now: UnixSeconds): boolean =>
  now - Math.max(time, lastSuccess) > horizon.most || attempts >= (lastSuccess === 0 ? retries.most : failures.most)

/** True if it was not tried within a minute. A clock that was moved back does not block a node. */
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

  /**
   * Makes room: one peer, or many of one network, must not fill the book. A full book drops a node that never answered.
   */
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
