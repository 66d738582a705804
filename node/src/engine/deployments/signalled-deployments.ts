import {
  type DeploymentState,
  deploymentState,
  signallingStatistics,
  signals,
  type VersionBitsDeployment
} from "@lockstep/kernel/deployment"
import { ancestorAt, type HeaderNode } from "@lockstep/kernel/chain"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import type { SignalledDeployment } from "../api/chain-calls.ts"

interface Named extends VersionBitsDeployment {
  readonly name: string
}

/** A deployment without effect, to try out signalling. On other networks it never starts. */
const TEST_DUMMY: Named = {
  name: "testdummy",
  bit: 28,
  startTime: 0,
  timeout: Infinity,
  minActivationHeight: 0,
  period: 144,
  threshold: 108
}

/** Returns the deployments that miners of a network signal for. Those active for long have heights instead. */
export const deploymentsOf = ({ name, testDummy }: Network): ReadonlyArray<Named> =>
  name === "regtest" ? [{ ...TEST_DUMMY, ...testDummy }] : []

/** Returns the first height of the present state for the block on top of `parent`. States only ever advance. */
const sinceHeight = (parent: HeaderNode | undefined, state: DeploymentState, deployment: Named): number => {
  if (state === "defined" || parent === undefined) return 0
  let low = 0
  let high = Math.floor((parent.height + 1) / deployment.period)
  while (low < high) {
    const middle = (low + high) >>> 1
    const last = middle === 0 ? undefined : ancestorAt(parent, middle * deployment.period - 1)
    if (deploymentState(last, deployment) === state) high = middle
    else low = middle + 1
  }
  return low * deployment.period
}

const signalling = (node: HeaderNode, { bit }: Named, elapsed: number): ReadonlyArray<boolean> => {
  const signs: Array<boolean> = []
  for (let at: HeaderNode | undefined = node; at !== undefined && signs.length < elapsed; at = at.parent) {
    signs.push(signals(at.header.version, bit))
  }
  return signs.reverse()
}

const seenFrom = (node: HeaderNode, deployment: Named): SignalledDeployment => {
  const { bit, minActivationHeight, name, startTime, timeout } = deployment
  const state = deploymentState(node.parent, deployment)
  const isCounted = state === "started" || state === "locked_in"
  const statistics = isCounted ? signallingStatistics(node, deployment) : undefined
  return {
    name,
    bit,
    startTime,
    timeout: timeout === Infinity ? undefined : timeout,
    minActivationHeight,
    state,
    since: sinceHeight(node.parent, state, deployment),
    next: deploymentState(node, deployment),
    counted: statistics && { ...statistics, signalling: signalling(node, deployment, statistics.elapsed) }
  }
}

/** Returns the states of the signalled deployments as of `node`. */
export const signalledDeployments = (node: HeaderNode, network: Network): ReadonlyArray<SignalledDeployment> =>
  deploymentsOf(network).map((deployment) => seenFrom(node, deployment))

/** The version of a block that signals for nothing. */
const SIGNALS_NOTHING = 0x20000000

/** Returns the version of the block on top of `parent`. It signals for every deployment that is not decided yet. */
export const nextVersion = (parent: HeaderNode, network: Network): number =>
  deploymentsOf(network).reduce((version, deployment) => {
    const state = deploymentState(parent, deployment)
    return state === "started" || state === "locked_in" ? version | (1 << deployment.bit) : version
  }, SIGNALS_NOTHING)
