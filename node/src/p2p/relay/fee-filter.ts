import type { UnixMilliseconds } from "../../quantities.ts"
import type * as Effect from "effect/Effect"
import type { P2pChain } from "../chain/p2p-chain.ts"
import type { Random } from "../basics/environment.ts"
import type { P2pContext } from "../peer/p2p-context.ts"
import { ProtocolVersion } from "../peer/session/protocol-versions.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { NOTHING_WANTED, RELAY_LIMITS } from "./relay-limits.ts"

const { feeFilterInterval, feeFilterLeast, feeFilterMost, feeFilterSoon } = RELAY_LIMITS

/** Feerates to round to; each is a tenth more than the previous one. */
const STEPS: ReadonlyArray<number> = (() => {
  const steps = [0]
  for (let rate = feeFilterLeast.most / 2; rate <= feeFilterMost.most; rate *= 1.1) steps.push(rate)
  return steps
})()

/**
 * Returns the rounded fee filter to send, as in Core's `FeeFilterRounder`: the exact feerate would identify the node.
 * Two times out of three it is the step below, otherwise the step above, so that a peer cannot infer the feerate from
 * it.
 */
export const roundedFeerate = (rate: number, random: Random): bigint => {
  const above = STEPS.findIndex((step) => step >= rate)
  const at = above < 0 ? STEPS.length - 1 : above > 0 && random.below(3) !== 0 ? above - 1 : above
  return BigInt(Math.floor(STEPS[at]!))
}

const most = (a: bigint, b: bigint): bigint => a > b ? a : b

/** True if the fee filter last sent differs so much from the current one that a new one is sent early. */
const isFarFrom = (said: bigint, now: bigint): boolean => now * 4n < said * 3n || now * 3n > said * 4n

/** The lowest feerate at which announcements are wanted, in satoshis per 1,000 virtual bytes. */
export interface WantedFeerate {
  /** Returns the current minimum feerate of the mempool. */
  readonly pool: () => number
  /** Minimum relay feerate, which always applies. */
  readonly least: bigint
}

const say = (to: PeerRelay, wanted: bigint): void => {
  if (wanted === to.saidFeerate) return
  to.saidFeerate = wanted
  to.peer.send({ command: "feefilter", feerate: wanted })
}

/**
 * Keeps the mempool's minimum feerate up to date while it is above zero. The returned function is called with the
 * current time.
 */
export const poolRateWatch = (
  { poolRate, refreshPoolRate }: Pick<P2pChain, "poolRate" | "refreshPoolRate">,
  run: (effect: Effect.Effect<void>) => void
): (now: UnixMilliseconds) => void => {
  let next = 0
  return (now) => {
    if (refreshPoolRate === undefined || now < next || (poolRate?.() ?? 0) === 0) return
    next = now + RELAY_LIMITS.poolRateAge.most
    run(refreshPoolRate)
  }
}

/**
 * Sends the fee filter to a peer if it has changed: about every ten minutes, sooner if it differs much from the last
 * one sent.
 */
export const keepFeeFilter = (
  to: PeerRelay,
  { chain, environment: { random } }: P2pContext,
  wanted: WantedFeerate,
  now: UnixMilliseconds
): void => {
  if (!to.getsFeeFilter || (to.peer.hello?.version ?? 0) < ProtocolVersion.FEE_FILTER) return
  const isDownloading = chain.state().initialBlockDownload
  // At the end of the initial download the new fee filter is sent at once.
  if (!isDownloading && to.saidFeerate === NOTHING_WANTED) to.nextFeeFilter = 0
  if (now > to.nextFeeFilter) {
    to.nextFeeFilter = now + random.exponential(feeFilterInterval.most)
    return say(to, isDownloading ? NOTHING_WANTED : most(roundedFeerate(wanted.pool(), random), wanted.least))
  }
  const current = isDownloading ? NOTHING_WANTED : most(BigInt(Math.ceil(wanted.pool())), wanted.least)
  const isSoon = to.nextFeeFilter - now <= feeFilterSoon.most
  if (!isSoon && to.saidFeerate !== undefined && isFarFrom(to.saidFeerate, current)) {
    to.nextFeeFilter = now + random.below(feeFilterSoon.most)
  }
}
