import { blockScriptFlags } from "@lockstep/kernel/deployment/script-flags.ts"
import type { DeploymentFacts } from "../calls/engine-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import type { TreeNode } from "../header-tree/tree-node.ts"
import { signalledDeployments } from "./signalled-deployments.ts"

/** Which rules hold for a block, and how what is signalled for stands. */
export const deploymentFacts = ({ network, parameters }: ChainEngine, node: TreeNode): DeploymentFacts => ({
  hash: node.hash.slice(),
  height: node.height,
  flags: blockScriptFlags(node.hash, node.height, parameters),
  heights: parameters.heights,
  signalled: signalledDeployments(node, network.name)
})
