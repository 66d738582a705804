import { blockScriptFlags } from "@lockstep/kernel/deployment"
import type { DeploymentFacts } from "../api/engine-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { signalledDeployments } from "./signalled-deployments.ts"

/** The rules in force for a block, and the states of signalled deployments. */
export const deploymentFacts = ({ network, parameters }: ChainEngine, node: HeaderIndexNode): DeploymentFacts => ({
  hash: node.hash.slice(),
  height: node.height,
  flags: blockScriptFlags(node.hash, node.height, parameters),
  heights: parameters.heights,
  signalled: signalledDeployments(node, network.name)
})
