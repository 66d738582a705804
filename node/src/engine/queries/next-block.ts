import { blockSubsidy } from "@lockstep/kernel/connect"
import { MAX_TIMEWARP } from "@lockstep/kernel/constants"
import { medianTimePast } from "@lockstep/kernel/chain"
import { requiredBits, retargetInterval } from "@lockstep/kernel/header"
import type { NextBlock } from "../api/engine-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { nextVersion, signalledDeployments } from "./signalled-deployments.ts"

/** What the block on top of the tip must be like, were it made now. */
export const nextBlock = ({ clock, network, parameters, tree: { tip } }: ChainEngine): Omit<NextBlock, "assembled"> => {
  const { heights, signetChallenge, subsidyHalvingInterval, work } = parameters
  const height = tip.height + 1
  const opensPeriod = height % retargetInterval(work) === 0
  const minTime = Math.max(medianTimePast(tip) + 1, opensPeriod ? tip.header.time - MAX_TIMEWARP : 0)
  const time = Math.max(minTime, clock.now())
  const signalled = signalledDeployments(tip, network.name)
  const available = signalled.filter(({ next }) => next === "started" || next === "locked_in")
  return {
    previous: tip.hash.slice(),
    height,
    version: nextVersion(tip, network.name),
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
