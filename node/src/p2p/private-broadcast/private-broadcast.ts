import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { displayHash } from "../../hex.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import type { Peer } from "../peer/peer.ts"
import { isPrivatelyReachable } from "./choose-network.ts"
import { type PrivateDemand, privateDemand } from "./private-demand.ts"
import { PRIVATE_BROADCAST_LIMITS } from "./private-broadcast-limits.ts"
import { privateQueue, type PrivateQueue, type PrivateTransaction } from "./private-queue.ts"
import { type PrivateSessions, privateSessions, type PrivateSessionsOptions } from "./private-sessions.ts"
import { makeReattempts } from "./reattempt-stale.ts"

/** Sends this node's own transactions to single peers, through Tor and I2P, until they come back from the network. */
export interface PrivateBroadcast extends Pick<PrivateQueue, "all"> {
  /** Whether Tor or I2P can be reached now. */
  readonly isReachable: () => boolean
  readonly begin: (transaction: PrivateTransaction) => ReturnType<PrivateQueue["add"]>
  /** Ends it for the transactions with this txid or wtxid, and answers them. */
  readonly abort: (id: Uint8Array) => ReadonlyArray<PrivateTransaction>
}

/** The same, with what the rest of the network layer needs of it. */
export interface RunningPrivateBroadcast extends PrivateBroadcast {
  readonly part: PrivateSessions
  readonly demand: PrivateDemand
  readonly say: (text: string) => void
  /** A peer sent a transaction: if it is one of the queue, it is in the network. */
  readonly received: (wtxid: Uint8Array, peer: Peer) => void
}

const { perTransaction } = PRIVATE_BROADCAST_LIMITS

const sayerOf = ({ log, trace }: P2pContext["notify"]) => (text: string): void => {
  trace?.({ _tag: "Detail", category: "privatebroadcast", text })
  log("debug", "private broadcast", { what: text })
}

const namesOf = ({ txid, wtxid }: PrivateTransaction): string =>
  `txid=${displayHash(txid)}, wtxid=${displayHash(wtxid)}`

/** What the operator decides about it. */
interface PrivateBroadcastOptions extends Pick<PrivateSessionsOptions, "peerTimeout"> {
  /** Kinds of addresses that are reached now. */
  readonly reachable: ReadonlySet<AddressKind>
}

/** Ends with the scope; what is in the queue then is forgotten. */
export const makePrivateBroadcast = Effect.fnUntraced(function*(
  context: P2pContext,
  { peerTimeout, reachable }: PrivateBroadcastOptions
): Effect.fn.Return<RunningPrivateBroadcast, never, Scope.Scope> {
  const queue = privateQueue()
  const demand = privateDemand()
  const say = sayerOf(context.notify)
  const sessions = privateSessions({
    context,
    queue,
    peerTimeout,
    say,
    reachedThroughTor: demand.proveTor,
    needsAnother: () => demand.add(1)
  })
  const sweep = yield* makeReattempts({ context, queue, demand, say })
  /** Of the connections for a transaction at first, those that it does not need any more. */
  const cancel = (removed: ReturnType<PrivateQueue["remove"]>): void =>
    demand.cancel(Math.max(0, perTransaction.most - (removed?.confirmed ?? perTransaction.most)))
  return {
    demand,
    say,
    part: {
      ...sessions,
      tickAll: (now) => {
        sessions.tickAll?.(now)
        sweep()
      }
    },
    isReachable: () => isPrivatelyReachable(reachable),
    all: queue.all,
    begin: (transaction) => {
      const outcome = queue.add(transaction, context.environment.now())
      if (outcome === "added") {
        say(`Requesting ${perTransaction.most} new connections due to ${namesOf(transaction)}`)
        demand.add(perTransaction.most)
      } else if (outcome === "known") {
        say(`Ignoring unnecessary request to schedule an already scheduled transaction: ${namesOf(transaction)}`)
      }
      return outcome
    },
    abort: (id) => {
      const found = queue.withId(id)
      for (const { wtxid } of found) cancel(queue.remove(wtxid))
      return found
    },
    received: (wtxid, peer) => {
      const removed = queue.remove(wtxid)
      if (removed === undefined) return
      const what = `our privately broadcast transaction (txid=${displayHash(removed.txid)})`
      say(`Received ${what} from the network from peer=${peer.id}; stopping private broadcast attempts`)
      cancel(removed)
    }
  }
})
