import { ancestorAt, type AssumedBlock, scriptCheckReason } from "@lockstep/kernel/chain"
import type { ChainEngine } from "../chain-engine.ts"
import { nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { scriptsVerified } from "./verified-scripts.ts"

const hashOfDisplay = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex")).reverse()

/** The block whose ancestors' scripts are assumed valid (Core: assumevalid), as the options name it. */
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

/**
 * Whether the scripts of `node` have to be verified: not when they are assumed valid, nor when they were verified
 * before.
 */
export const scriptsNeeded = (engine: ChainEngine, node: HeaderIndexNode): boolean => {
  const { verifiedScripts, network, parameters, tree } = engine
  if (scriptsVerified(verifiedScripts, node)) return false
  const { targetSpacing } = parameters.work
  return scriptCheckReason(node, assumedBlock(engine), tree.bestHeader, network.minimumChainWork, targetSpacing) !==
    undefined
}
