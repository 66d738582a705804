import type { Height } from "../quantities.ts"
import { ALWAYS_ACTIVE, NEVER_ACTIVE } from "../constants.ts"
import { medianTimePast } from "../chain/median-time.ts"
import { ancestorAt, type HeaderNode } from "../chain/header-node.ts"

/**
 * A deployment by version bits: miners signal for it in their block versions (BIP9). Times are Unix seconds of the
 * median time past.
 */
export interface VersionBitsDeployment {
  readonly bit: number
  readonly startTime: number
  readonly timeout: number
  readonly minActivationHeight: Height
  readonly period: number
  readonly threshold: number
}

/** State of a deployment for the block after some header. */
export type DeploymentState = "defined" | "started" | "locked_in" | "active" | "failed"

/** Signalling in the period of a block, for reports: `possible` says whether the threshold can still be met. */
export interface SignallingStatistics {
  readonly period: number
  readonly threshold: number
  readonly elapsed: number
  readonly count: number
  readonly possible: boolean
}

/** Reports whether a version uses BIP9's top bits 001 and has `bit` set. */
export const signals = (version: number, bit: number): boolean =>
  (version & 0xe0000000) === 0x20000000 && ((version >>> bit) & 1) === 1

/** Returns how many of the `count` blocks up to `last` signal. Precondition: that many blocks exist. */
const signalCount = (last: HeaderNode, count: number, bit: number): number => {
  let signalling = 0
  let at = last
  for (let i = 0; i < count; i++, at = at.parent!) if (signals(at.header.version, bit)) signalling++
  return signalling
}

const afterPeriod = (state: DeploymentState, last: HeaderNode, deployment: VersionBitsDeployment): DeploymentState => {
  switch (state) {
    case "defined":
      return medianTimePast(last) >= deployment.startTime ? "started" : "defined"
    case "started":
      if (signalCount(last, deployment.period, deployment.bit) >= deployment.threshold) return "locked_in"
      return medianTimePast(last) >= deployment.timeout ? "failed" : "started"
    case "locked_in":
      return last.height + 1 >= deployment.minActivationHeight ? "active" : "locked_in"
    case "active":
    case "failed":
      return state
  }
}

/**
 * Returns the state of a deployment for the block on top of `parent` (`undefined` for a genesis block). It changes only
 * at the first block of a period, and depends on the period before it.
 *
 * @spec DEP-003 #a814bb95
 */
export const deploymentState = (parent: HeaderNode | undefined, deployment: VersionBitsDeployment): DeploymentState => {
  if (deployment.startTime === ALWAYS_ACTIVE) return "active"
  if (deployment.startTime === NEVER_ACTIVE) return "failed"
  const { period } = deployment
  let state: DeploymentState = "defined"
  if (parent === undefined) return state
  for (let last = period - 1; last <= parent.height; last += period) {
    state = afterPeriod(state, ancestorAt(parent, last)!, deployment)
  }
  return state
}

/**
 * Returns the number of blocks that signal so far in the period of `node`.
 *
 * @spec DEP-004 #2fe919ca
 */
export const signallingStatistics = (node: HeaderNode, deployment: VersionBitsDeployment): SignallingStatistics => {
  const { bit, period, threshold } = deployment
  const elapsed = node.height % period + 1
  const count = signalCount(node, elapsed, bit)
  return { period, threshold, elapsed, count, possible: period - threshold >= elapsed - count }
}
