import type { UnixMilliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { ensuring } from "../../finalizers/finalizers.ts"
import { endpointText } from "../../net/endpoint-text.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { connectedThrough } from "../peer/peer.ts"
import { hashKey } from "../basics/hash-key.ts"
import { announceAll, candidatesOf, trickle } from "./announcements.ts"
import { announceFiltered } from "./match-pool.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/** Schedules announcements to peers. */
export interface AnnouncementTurns {
  /** Starts the turns of a peer. */
  readonly begin: (to: PeerRelay, now: UnixMilliseconds) => void
  /** Processes the turns of all peers that are due. */
  readonly tickAll: (now: UnixMilliseconds) => void
  /** Processes the turn of one peer, if it is due. Its next message waits for that. */
  readonly tick: (to: PeerRelay, now: UnixMilliseconds) => void
}

/** A turn of a peer, with the mempool's sequence number at its start. */
interface Turn {
  readonly to: PeerRelay
  readonly sequence: number
  /** Allows the next message of the peer to be answered. */
  readonly release: () => void
}

const isDue = (to: PeerRelay, now: UnixMilliseconds): boolean =>
  to.mayReceiveTransactions && !to.isAnnouncing && (now >= to.nextTrickle || to.peer.isTrusted)

const end = ({ release, sequence, to }: Turn): void => {
  // Transactions that entered after the turn began are not announced yet, so the peer may not know of them.
  to.poolSequence = sequence
  to.isAnnouncing = false
  release()
}

/** Makes the turns, which end with the scope. Announcements are sent in mining order, which the engine knows. */
export const announcementTurns = Effect.fnUntraced(function*(
  { chain, chain: { mempool }, environment: { random } }: P2pContext,
  peers: ReadonlyMap<number, PeerRelay>
): Effect.fn.Return<AnnouncementTurns, never, Scope.Scope> {
  const fork = yield* FiberSet.makeRuntime()
  /** Time of the next turn, by the network and local endpoint of inbound peers. */
  const nextInbound = new Map<string, number>()

  /**
   * Returns the time of a peer's next turn. All inbound peers share one, so that an attacker with many connections
   * learns no more than with one.
   */
  const nextTurn = ({ peer }: PeerRelay, now: UnixMilliseconds): number => {
    if (!peer.inbound) return now + random.exponential(RELAY_LIMITS.outboundTrickle.most)
    const way = `${connectedThrough(peer) ?? ""} ${peer.local === undefined ? "" : endpointText(peer.local)}`
    const next = nextInbound.get(way) ?? 0
    if (now < next) return next
    const then = now + random.exponential(RELAY_LIMITS.inboundTrickle.most)
    nextInbound.set(way, then)
    return then
  }

  /** Processes turns that are due together, with a single request to the engine. */
  const take = Effect.fnUntraced(function*(turns: ReadonlyArray<Turn>) {
    const candidates = new Map<string, Uint8Array>()
    for (const { to } of turns) for (const wtxid of candidatesOf(to, mempool)) candidates.set(hashKey(wtxid), wtxid)
    const order = candidates.size === 0 ? [] : yield* chain.inMiningOrder([...candidates.values()])
    const all = turns.some(({ to }) => to.wantsPool) ? yield* chain.mempoolIds : undefined
    for (const turn of turns) {
      const { to } = turn
      if (to.wantsPool && all !== undefined) {
        to.wantsPool = false
        announceAll(to, all, mempool)
      }
      trickle(to, order ?? [], mempool)
      end(turn)
    }
  })

  /** Begins the turn of a peer; empty if the peer is not due, or nothing is queued for it. */
  const turnOf = (to: PeerRelay, now: UnixMilliseconds): ReadonlyArray<Turn> => {
    if (!isDue(to, now)) return []
    const sequence = mempool.sequence()
    to.nextTrickle = nextTurn(to, now)
    to.isAnnouncing = to.waiting.size > 0 || to.wantsPool
    if (to.isAnnouncing) return [{ to, sequence, release: to.peer.announcements.begin() }]
    to.poolSequence = sequence
    return []
  }

  const forkTurns = (turns: ReadonlyArray<Turn>, work: Effect.Effect<void>): void => {
    const release = Effect.sync(() => {
      for (const turn of turns) turn.release()
    })
    fork(ensuring(work, release))
  }

  const run = (turns: ReadonlyArray<Turn>): void => {
    const others = turns.filter(({ to }) => to.filter === undefined)
    if (others.length > 0) forkTurns(others, take(others))
    for (const turn of turns) {
      const { filter } = turn.to
      if (filter !== undefined) forkTurns([turn], Effect.map(announceFiltered(chain, turn.to, filter), () => end(turn)))
    }
  }

  return {
    begin: (to, now) => {
      to.nextTrickle = nextTurn(to, now)
      to.poolSequence = mempool.sequence()
    },
    tickAll: (now) => {
      const turns: Array<Turn> = []
      for (const to of peers.values()) turns.push(...turnOf(to, now))
      run(turns)
    },
    tick: (to, now) => run(turnOf(to, now))
  }
})
