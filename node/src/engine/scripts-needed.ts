import { ancestorAt, type HeaderNode } from "@lockstep/kernel/header/node.ts"
import { blockWork } from "@lockstep/kernel/work/block-work.ts"
import type { ChainEngine } from "./chain-engine.ts"
import { activeAt } from "./header-tree/active-chain.ts"
import { nodeOf } from "./header-tree/header-tree.ts"

/** The work on top of a block must be worth two weeks of mining before its scripts may be taken to hold. */
const BURIED_SECONDS = 14 * 24 * 60 * 60

const hashOfDisplay = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex")).reverse()

/** The block whose ancestors' scripts are taken to hold, if its header is known. */
const assumedValidNode = ({ network, options, tree }: ChainEngine): HeaderNode | undefined => {
  const { assumedValid } = options
  switch (assumedValid._tag) {
    case "Nothing":
      return undefined
    case "NetworkDefault":
      return network.assumedValid && nodeOf(tree, network.assumedValid.hash)
    case "Block":
      return nodeOf(tree, hashOfDisplay(assumedValid.hash))
    case "Height":
      return activeAt(tree, assumedValid.height) ?? ancestorAt(tree.bestHeader, assumedValid.height)
  }
}

/** Seconds of mining, at the difficulty of `best`, that the work from `from` to `best` stands for. */
const secondsOnTop = (best: HeaderNode, from: HeaderNode, targetSpacing: number): bigint =>
  (best.chainWork - from.chainWork) * BigInt(targetSpacing) / blockWork(best.header.bits)

/** Whether the scripts of `node` are to be judged. */
export const scriptsNeeded = (engine: ChainEngine, node: HeaderNode): boolean => {
  const { network, parameters, tree: { bestHeader } } = engine
  const assumed = assumedValidNode(engine)
  if (assumed === undefined) return true
  const vouchedFor = ancestorAt(assumed, node.height) === node && ancestorAt(bestHeader, node.height) === node &&
    bestHeader.chainWork >= network.minimumChainWork
  return !vouchedFor || secondsOnTop(bestHeader, node, parameters.work.targetSpacing) <= BigInt(BURIED_SECONDS)
}
