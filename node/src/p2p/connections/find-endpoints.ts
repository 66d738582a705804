import { takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import type { Endpoint } from "../../net/endpoint.ts"
import { parseNode, splitPort } from "../../net/endpoint-text.ts"
import { isHostName, namedEndpoint } from "../../net/named-endpoint.ts"
import { splitNode, writtenWay } from "../../net/written-node.ts"
import type { P2pContext } from "../peer/p2p-context.ts"

/** Resolves a name to addresses. */
export type Resolve = (name: string) => Effect.Effect<ReadonlyArray<NetworkAddress>>

/** Returns the endpoints to try for an operator's text, in order; empty if none is found. */
export type FindEndpoints = (text: string) => Effect.Effect<ReadonlyArray<Endpoint>>

/** Returns the elements in random order. */
const shuffled = <A>(all: ReadonlyArray<A>, below: (bound: number) => number): ReadonlyArray<A> => {
  const left = [...all]
  return all.map(() => left.splice(below(left.length), 1)[0]!)
}

export interface FindOptions {
  readonly resolve: Resolve
  /** True if only the proxy resolves names. */
  readonly namesToProxy: boolean
  /** True if addresses with the prefix of CJDNS belong to that network. */
  readonly hasCjdns: boolean
}

export const findEndpoints = (
  { environment: { random }, network }: P2pContext,
  { hasCjdns, namesToProxy, resolve }: FindOptions
): FindEndpoints => {
  const placed = (endpoint: Endpoint): Endpoint =>
    hasCjdns ? { ...endpoint, address: takenForCjdns(endpoint.address) } : endpoint
  return (text) => {
    const given = parseNode(text, network.port)
    if (given !== undefined) return Effect.succeed([placed(given)])
    const written = splitNode(text)
    const split = written === undefined ? undefined : splitPort(written.place, network.port)
    if (written === undefined || split === undefined || !isHostName(split.host)) return Effect.succeed([])
    const over = writtenWay(written)
    if (namesToProxy) return Effect.succeed([{ ...namedEndpoint(split.host, split.port), ...over }])
    return Effect.map(
      resolve(split.host),
      (addresses) => shuffled(addresses, random.below).map((address) => placed({ address, port: split.port, ...over }))
    )
  }
}
