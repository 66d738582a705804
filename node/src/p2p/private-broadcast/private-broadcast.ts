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
  /** True if Tor or I2P is reachable now. */
  readonly isReachable: () => boolean
  readonly begin: (transaction: PrivateTransaction) => ReturnType<PrivateQueue["add"]>
  /** Aborts the broadcast of the transactions with this txid or wtxid, and returns them. */
  readonly abort: (id: Uint8Array) => ReadonlyArray<PrivateTransaction>
}

/** The private broadcast, with its interface to the rest of the network layer. */
export interface RunningPrivateBroadcast extends PrivateBroadcast {
  readonly part: PrivateSessions
  readonly demand: PrivateDemand
  readonly say: (what: PrivateHappening) => void
  /** Processes a transaction sent by a peer: a queued one has reached the network. */
  readonly received: (wtxid: Uint8Array, peer: Peer) => void
}

const { perTransaction } = PRIVATE_BROADCAST_LIMITS

const sayerOf = ({ log, trace }: P2pContext["notify"]) => (what: PrivateHappening): void => {
  trace?.({ _tag: "PrivateBroadcast", what })
  log("debug", "private broadcast", { what: privateText(what) })
}

/** The options that the operator sets. */
interface PrivateBroadcastOptions extends Pick<PrivateSessionsOptions, "peerTimeout"> {
  /** Networks that are reachable now. */
  readonly reachable: ReadonlySet<AddressKind>
}

/** Makes the private broadcast, which ends with the scope. Its queue is then forgotten. */
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
  /** Cancels the initial connections for a transaction that it no longer needs. */
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
