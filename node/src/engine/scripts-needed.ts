import { type AssumedBlock, scriptCheckReason } from "@lockstep/kernel/chain/assumed-valid.ts"
import { ancestorAt } from "@lockstep/kernel/header/node.ts"
import type { ChainEngine } from "./chain-engine.ts"
import { nodeOf } from "./header-tree/header-tree.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { hold } from "./judged-scripts.ts"

const hashOfDisplay = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex")).reverse()

/** The block whose ancestors' scripts are taken to hold, as the options name it. */
const assumedBlock = ({ network, options, tree }: ChainEngine): AssumedBlock | undefined => {
  const { assumedValid } = options
  switch (assumedValid._tag) {
    case "Nothing":
      return undefined
    case "NetworkDefault":
      return network.assumedValid && { header: nodeOf(tree, network.assumedValid.hash) }
    case "Block":
      return { header: nodeOf(tree, hashOfDisplay(assumedValid.hash)) }
    case "Height":
      // A height names the block of the best header chain that has it.
      return { header: ancestorAt(tree.bestHeader, assumedValid.height) }
  }
}

/** Whether the scripts of `node` are to be judged: not when they are taken to hold, nor when they were found to hold before. */
export const scriptsNeeded = (engine: ChainEngine, node: TreeNode): boolean => {
  const { judgedScripts, network, parameters, tree } = engine
  if (hold(judgedScripts, node)) return false
  const { targetSpacing } = parameters.work
  return scriptCheckReason(node, assumedBlock(engine), tree.bestHeader, network.minimumChainWork, targetSpacing) !== undefined
}
