import type { Seconds } from "../../quantities.ts"
import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { ChainTransactions } from "@lockstep/protocol/networks/network.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

const TWO_HOURS = 7_200

/** The basis of an estimate: the tip, how far the headers are ahead of it, and the clock. */
export interface ProgressFacts {
  /** Transactions of the chain up to the tip. */
  readonly transactions: number
  readonly time: UnixSeconds
  /** Number of known headers beyond the tip. */
  readonly headersAhead: number
  readonly now: UnixSeconds
  readonly targetSpacing: Seconds
}

/** The time of a recent tip is counted back from the best header, because a miner's timestamp may be off. */
const timeOfTip = ({ headersAhead, now, targetSpacing, time }: ProgressFacts): number =>
  Math.abs(now - time) <= TWO_HOURS && headersAhead >= 0 ? now - headersAhead * targetSpacing : time

/**
 * Estimates the verified share of the chain, from 0 to 1, in transactions. Those after the last known count are
 * extrapolated.
 */
export const verificationProgress = (facts: ProgressFacts, known: ChainTransactions): number => {
  const { now, transactions } = facts
  if (transactions === 0) return 0
  const total = transactions <= known.count
    ? known.count + (now - known.time) * known.rate
    : transactions + (now - timeOfTip(facts)) * known.rate
  return Math.min(transactions / total, 1)
}

/** Estimates the same for the chain up to `tip`. */
export const progressAt = ({ clock, network, parameters, tree }: ChainEngine, tip: HeaderIndexNode): number =>
  verificationProgress({
    transactions: tree.columns.chainTransactions[tip.index]!,
    time: tip.header.time,
    headersAhead: tree.bestHeader.height - tip.height,
    now: clock.now(),
    targetSpacing: parameters.work.targetSpacing
  }, network.chainTransactions)
