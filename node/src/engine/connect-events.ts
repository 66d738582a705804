import { deploymentState } from "@lockstep/kernel/deployment/version-bits.ts"
import { retargetInterval } from "@lockstep/kernel/work/required-work.ts"
import type { Block } from "@lockstep/kernel/model/block.ts"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import type { ChainEngine } from "./chain-engine.ts"
import { displayHash } from "./display-hash.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { deploymentsOf } from "./queries/signalled-deployments.ts"
import { tellEvent, tellLog } from "./tell.ts"

const bitsText = (bits: number): string => bits.toString(16).padStart(8, "0")

/** Deployments by the names that people know them by. Taproot and segwit share no height with the others. */
const DEPLOYMENTS = [["bip34", "bip34"], ["bip66", "bip66"], ["bip65", "bip65"], ["csv", "csv"], ["segwit", "segwit"]] as const

const tellDeployments = (engine: ChainEngine, height: number): void => {
  for (const [name, member] of DEPLOYMENTS) {
    if (engine.parameters.heights[member] === height) tellEvent(engine, "SoftForkActivated", { name, height })
  }
}

/** States change only where a period of signalling begins. */
const tellSignalledDeployments = (engine: ChainEngine, { height, parent }: TreeNode): void => {
  if (parent === undefined) return
  for (const deployment of deploymentsOf(engine.network.name)) {
    if (height % deployment.period !== 0) continue
    const { name } = deployment
    const state = deploymentState(parent, deployment)
    if (state === deploymentState(parent.parent, deployment)) continue
    if (state === "locked_in") tellEvent(engine, "SoftForkLockedIn", { name, height })
    if (state === "active") tellEvent(engine, "SoftForkActivated", { name, height })
  }
}

const tellDifficulty = (engine: ChainEngine, node: TreeNode): void => {
  const { work } = engine.parameters
  const { height, parent } = node
  if (parent === undefined || height % retargetInterval(work) !== 0) return
  const [old, bits] = [bitsText(parent.header.bits), bitsText(node.header.bits)]
  tellEvent(engine, "DifficultyAdjusted", { height, old_bits: old, new_bits: bits })
  if (old !== bits) tellEvent(engine, "MiningDifficultyChanged", { height, bits })
}

/** Tells of a block that became the tip. */
export const tellConnected = (engine: ChainEngine, node: TreeNode, transactions: number): void => {
  const block = { block_hash: displayHash(node.hash), height: node.height, transactions }
  tellEvent(engine, "NewBlock", block)
  // The progress of a download has a line of its own.
  if (!engine.initialBlockDownload) tellLog(engine, "info", "a new tip", block)
  tellDifficulty(engine, node)
  tellDeployments(engine, node.height)
  tellSignalledDeployments(engine, node)
}

/** Tells of a block that is no longer the tip. */
export const tellDisconnected = (engine: ChainEngine, node: TreeNode): void =>
  tellEvent(engine, "BlockDisconnected", { block_hash: displayHash(node.hash), height: node.height })

/** Tells how a block was judged. */
export const tellJudged = (engine: ChainEngine, node: TreeNode, rejection: Rejection | undefined, milliseconds: number): void => {
  if (engine.feed.isFollowed()) engine.verdicts.push({ _tag: "Judged", index: node.index, rejection })
  const hash = displayHash(node.hash)
  tellEvent(engine, "BlockValidationCompleted", {
    block_hash: hash,
    height: node.height,
    valid: rejection === undefined,
    ...rejection === undefined ? {} : { reason: rejection.reason },
    duration_ms: milliseconds
  })
  if (rejection === undefined) return
  const { reason, rule } = rejection
  tellLog(engine, "warn", "a block is invalid", { block_hash: hash, height: node.height, reason, ...rule === undefined ? {} : { rule } })
  if (rule !== undefined) tellEvent(engine, "ConsensusRuleViolation", { block_hash: hash, rule, reason })
}

/** Tells how the coins of a block were found: everything about it but its scripts. */
export const tellCoinsJudged = (engine: ChainEngine, hash: string, valid: boolean, milliseconds: number): void =>
  tellEvent(engine, "UTXOValidationCompleted", { block_hash: hash, valid, duration_ms: milliseconds })

/** Inputs that spend coins. */
export const inputCount = ({ transactions }: Block): number => {
  let count = 0
  for (let i = 1; i < transactions.length; i++) count += transactions[i]!.inputs.length
  return count
}
