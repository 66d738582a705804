import { ancestorAt, type AssumedBlock, type ScriptCheckReason, scriptCheckReason } from "@lockstep/kernel/chain"
import type { ChainEngine } from "../state/chain-engine.ts"
import { displayHash } from "../../hex.ts"
import { nodeOf } from "../header-index/header-index.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { notifyLog } from "../notify/notifications.ts"
import { scriptsVerified } from "../state/verified-scripts.ts"

const hashOfDisplay = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex")).reverse()

/** The block whose ancestors' scripts are assumed valid (Core: assumevalid), from the options. */
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
      // A height names the block at that height in the best header chain.
      return { header: ancestorAt(tree.bestHeader, assumedValid.height) }
  }
}

/**
 * Returns the reason to verify the scripts of a block like this one, verified before or not. Returns `undefined` if
 * they are assumed valid.
 */
export const whyScriptsNeeded = (engine: ChainEngine, node: HeaderIndexNode): ScriptCheckReason | undefined => {
  const { network, parameters, tree } = engine
  const { targetSpacing } = parameters.work
  return scriptCheckReason(node, assumedBlock(engine), tree.bestHeader, network.minimumChainWork, targetSpacing)
}

/** Reports whether the scripts of `node` have to be verified: neither assumed valid nor verified before. */
export const scriptsNeeded = (engine: ChainEngine, node: HeaderIndexNode): boolean =>
  !scriptsVerified(engine.verifiedScripts, node) && whyScriptsNeeded(engine, node) !== undefined

/** Returns the same as `scriptsNeeded` for the next block of the active chain. Logs every change of the reason. */
export const notifyScriptsNeeded = (engine: ChainEngine, node: HeaderIndexNode): boolean => {
  const reason = whyScriptsNeeded(engine, node)
  const { scriptsTold } = engine
  if (scriptsTold === undefined || scriptsTold.reason !== reason) {
    engine.scriptsTold = { reason }
    const block = { height: node.height, block_hash: displayHash(node.hash) }
    if (reason === undefined) notifyLog(engine, "info", "Scripts are assumed valid from a block on", block)
    else notifyLog(engine, "info", "Scripts are verified from a block on", { ...block, reason })
  }
  return reason !== undefined && !scriptsVerified(engine.verifiedScripts, node)
}
