import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { Endpoint } from "../../net/endpoint.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { FindEndpoints } from "./find-endpoints.ts"

/** Fetches addresses from nodes that an operator names (Core's `-seednode`), one after another. */
export interface SeedNodes {
  readonly tick: () => void
  /** True if DNS seeds have to wait for the answers of these nodes. */
  readonly areTried: () => boolean
}

export interface SeedNodesOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  /** The nodes as the operator wrote them. */
  readonly nodes: ReadonlyArray<string>
  readonly find: FindEndpoints
  /** True if DNS seeds are queried after these nodes. */
  readonly hasDnsSeeds: boolean
  /** Returns the number of lasting outbound connections. */
  readonly outboundCount: () => number
  readonly fetchFrom: (endpoint: Endpoint) => void
}

/** Core's ADD_NEXT_SEEDNODE, in milliseconds: while peers are missing, one more node is asked after this time. */
const NEXT = 10_000

/** Core's SEEDNODE_TIMEOUT, in milliseconds: after this time DNS seeds are queried as well. */
const PATIENCE = 30_000

/** Core's SEED_OUTBOUND_CONNECTION_THRESHOLD. */
const ENOUGH_PEERS = 2

/**
 * Makes the fetcher. Each node is asked once: at once while no address is known, and later if connections are missing.
 */
export const makeSeedNodes = Effect.fnUntraced(function*(
  { book, context, fetchFrom, find, hasDnsSeeds, nodes, outboundCount }: SeedNodesOptions
): Effect.fn.Return<SeedNodes, never, Scope.Scope> {
  const { environment: { random }, notify } = context
  const clock = nodeClock(context)
  const fork = yield* FiberSet.makeRuntime()
  const left = [...nodes]
  const startedAt = clock()
  let last = startedAt
  let isFirst = true
  let isOver = nodes.length === 0 || !hasDnsSeeds

  const askNext = (): void => {
    const [node] = left.splice(random.below(left.length), 1)
    if (node === undefined) return
    const waited = book.size() === 0 ? undefined : NEXT / 1_000
    notify.trace?.({ _tag: "SeedNodeAsked", node, waited })
    fork(Effect.map(find(node), ([endpoint]) => {
      if (endpoint !== undefined) fetchFrom(endpoint)
    }))
  }

  const watch = (): void => {
    if (outboundCount() >= ENOUGH_PEERS) {
      isOver = true
      notify.trace?.({ _tag: "SeedNodesSufficed" })
    } else if (clock() > startedAt + PATIENCE) {
      isOver = true
      notify.trace?.({ _tag: "SeedNodesFailed" })
    }
  }

  if (!isOver) notify.trace?.({ _tag: "SeedNodesTried", patience: PATIENCE / 1_000 })

  return {
    tick: () => {
      if (nodes.length === 0) return
      if (isFirst) {
        isFirst = false
        if (left.length > 0 && book.size() === 0) askNext()
      } else if (left.length > 0 && outboundCount() < ENOUGH_PEERS && clock() > last + NEXT) {
        last = clock()
        askNext()
      }
      if (!isOver) watch()
    },
    areTried: () => !isOver
  }
})
