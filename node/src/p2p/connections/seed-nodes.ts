import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { Endpoint } from "../../net/endpoint.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import { nodeClock } from "../peer/node-clock.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { FindEndpoints } from "./find-endpoints.ts"

/** Fetches addresses from nodes that an operator names (Core's `-seednode`), one after the other. */
export interface SeedNodes {
  readonly tick: () => void
  /** Whether name servers are to wait for what these nodes bring. */
  readonly areTried: () => boolean
}

export interface SeedNodesOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  /** As they were written. */
  readonly nodes: ReadonlyArray<string>
  readonly find: FindEndpoints
  /** Whether DNS seeds are asked after these nodes. */
  readonly hasDnsSeeds: boolean
  /** How many lasting outbound connections there are. */
  readonly outboundCount: () => number
  readonly fetchFrom: (endpoint: Endpoint) => void
}

/** Core's ADD_NEXT_SEEDNODE: while peers are missing, one more node is asked after this long. */
const NEXT = 10_000

/** Core's SEEDNODE_TIMEOUT: after this long name servers are asked as well. */
const PATIENCE = 30_000

/** Core's SEED_OUTBOUND_CONNECTION_THRESHOLD. */
const ENOUGH_PEERS = 2

/** Each node is asked once. They are asked at once while no address is known, and later where connections are missing. */
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

  const say = (text: string): void => notify.trace?.({ _tag: "Said", text })

  const askNext = (): void => {
    const [node] = left.splice(random.below(left.length), 1)
    say(
      book.size() === 0
        ? `Empty addrman, adding seednode (${node}) to addrfetch`
        : `Couldn't connect to peers from addrman after ${NEXT / 1_000} seconds. Adding seednode (${node}) to addrfetch`
    )
    fork(Effect.map(find(node!), ([endpoint]) => {
      if (endpoint !== undefined) fetchFrom(endpoint)
    }))
  }

  const watch = (): void => {
    if (outboundCount() >= ENOUGH_PEERS) {
      isOver = true
      say("P2P peers available. Finished fetching data from seed nodes.")
    } else if (clock() > startedAt + PATIENCE) {
      isOver = true
      say("Couldn't connect to enough peers via seed nodes. Handing fetch logic to the DNS seeds.")
    }
  }

  if (!isOver) {
    say(
      `-seednode enabled. Trying the provided seeds for ${PATIENCE / 1_000} seconds before defaulting to the dnsseeds.`
    )
  }

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
