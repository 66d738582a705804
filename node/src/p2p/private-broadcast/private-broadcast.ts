import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type PrivateHappening, privateText } from "../../runtime/private-happening.ts"
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
  readonly say: (what: PrivateHappening) => void
  /** A peer sent a transaction: if it is one of the queue, it is in the network. */
  readonly received: (wtxid: Uint8Array, peer: Peer) => void
}

const { perTransaction } = PRIVATE_BROADCAST_LIMITS

const sayerOf = ({ log, trace }: P2pContext["notify"]) => (what: PrivateHappening): void => {
  trace?.({ _tag: "PrivateBroadcast", what })
  log("debug", "private broadcast", { what: privateText(what) })
}

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
      const { txid, wtxid } = transaction
      const outcome = queue.add(transaction, context.environment.now())
      if (outcome === "added") {
        say({ _tag: "Requested", txid, wtxid, connections: perTransaction.most })
        demand.add(perTransaction.most)
      } else if (outcome === "known") {
        say({ _tag: "RequestedAgain", txid, wtxid })
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
      say({ _tag: "ReceivedBack", txid: removed.txid, peer: peer.id })
      cancel(removed)
    }
  }
})
