import type { Chance } from "../environment.ts"
import type { P2pContext } from "../p2p-context.ts"
import { ProtocolVersion } from "../peer/session/protocol-versions.ts"
import type { PeerRelay } from "./peer-relay.ts"
import { NOTHING_WANTED, RELAY_LIMITS } from "./relay-limits.ts"

const { feeFilterInterval, feeFilterLeast, feeFilterMost, feeFilterSoon } = RELAY_LIMITS

/** Each step is a tenth more than the one before. */
const STEPS: ReadonlyArray<number> = (() => {
  const steps = [0]
  for (let rate = feeFilterLeast.most / 2; rate <= feeFilterMost.most; rate *= 1.1) steps.push(rate)
  return steps
})()

/**
 * A fee rate that is told: the exact one would tell nodes apart. Two times of three the step below, else the one above, so that
 * nobody can tell on which side of a step it is.
 */
export const roundedFeerate = (rate: number, chance: Chance): bigint => {
  const above = STEPS.findIndex((step) => step >= rate)
  const at = above < 0 ? STEPS.length - 1 : above > 0 && chance.below(3) !== 0 ? above - 1 : above
  return BigInt(Math.floor(STEPS[at]!))
}

const most = (a: bigint, b: bigint): bigint => a > b ? a : b

/** Whether what we said is so far from what holds now that it must not wait its turn. */
const isFarFrom = (said: bigint, now: bigint): boolean => now * 4n < said * 3n || now * 3n > said * 4n

/** What we want to be told of: satoshis for a thousand virtual bytes. */
export interface WantedFeerate {
  /** Below which nothing enters the pool now. */
  readonly pool: () => number
  /** Below which nothing ever does. */
  readonly least: bigint
}

const say = (to: PeerRelay, wanted: bigint): void => {
  if (wanted === to.saidFeerate) return
  to.saidFeerate = wanted
  to.peer.send({ command: "feefilter", feerate: wanted })
}

/** Tells a peer what we want to be told of, when that has changed: every ten minutes or so, sooner when it is far from before. */
export const keepFeeFilter = (to: PeerRelay, { chain, environment: { chance } }: P2pContext, wanted: WantedFeerate, now: number): void => {
  if (!to.mayTell || (to.peer.hello?.version ?? 0) < ProtocolVersion.FEE_FILTER) return
  const isDownloading = chain.state().initialBlockDownload
  // Once the download is over nobody has to wait to hear it.
  if (!isDownloading && to.saidFeerate === NOTHING_WANTED) to.nextFeeFilter = 0
  if (now > to.nextFeeFilter) {
    to.nextFeeFilter = now + chance.exponential(feeFilterInterval.most)
    return say(to, isDownloading ? NOTHING_WANTED : most(roundedFeerate(wanted.pool(), chance), wanted.least))
  }
  const current = isDownloading ? NOTHING_WANTED : most(BigInt(Math.ceil(wanted.pool())), wanted.least)
  const isSoon = to.nextFeeFilter - now <= feeFilterSoon.most
  if (!isSoon && to.saidFeerate !== undefined && isFarFrom(to.saidFeerate, current)) to.nextFeeFilter = now + chance.below(feeFilterSoon.most)
}
