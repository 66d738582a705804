import { blockSubsidy } from "@lockstep/kernel/connect"
import { MAX_TIMEWARP } from "@lockstep/kernel/constants"
import { medianTimePast } from "@lockstep/kernel/chain"
import { requiredBits, retargetInterval } from "@lockstep/kernel/header"
import type { NextBlock } from "../api/mining-calls.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { signalledDeployments } from "../deployments/signalled-deployments.ts"
import { blockVersion } from "../deployments/block-version.ts"

/** Requirements on the block on top of the tip, if it were made now, but not before `notBefore`. */
export const nextBlock = (engine: ChainEngine, notBefore = 0): NextBlock => {
  const { clock, network, parameters, tree: { tip } } = engine
  const { heights, signetChallenge, subsidyHalvingInterval, work } = parameters
  const height = tip.height + 1
  const opensPeriod = height % retargetInterval(work) === 0
  const minTime = Math.max(medianTimePast(tip) + 1, opensPeriod ? tip.header.time - MAX_TIMEWARP : 0)
  const time = Math.max(minTime, clock.now(), notBefore)
  const signalled = signalledDeployments(tip, network)
  const available = signalled.filter(({ next }) => next === "started" || next === "locked_in")
  return {
    previous: tip.hash.slice(),
    height,
    version: blockVersion(engine),
    bits: requiredBits(tip, time, work),
    minTime,
    time,
    subsidy: blockSubsidy(height, subsidyHalvingInterval),
    hasWitness: height >= heights.segwit,
    available: available.map(({ bit, name }) => ({ bit, name })),
    active: signalled.filter(({ next }) => next === "active").map(({ name }) => name),
    signetChallenge
  }
}
