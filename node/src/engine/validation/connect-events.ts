import type { Height } from "@lockstep/kernel/quantities"
import type { Milliseconds } from "../../quantities.ts"
import { deploymentState } from "@lockstep/kernel/deployment"
import { retargetInterval } from "@lockstep/kernel/header"
import type { Block } from "@lockstep/kernel/model"
import { type Rejection, rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { displayHash } from "../../hex.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { deploymentsOf } from "../deployments/signalled-deployments.ts"
import { progressAt } from "../chainstate/verification-progress.ts"
import { notifyEvent, notifyLog } from "../notify/notifications.ts"

const bitsText = (bits: number): string => bits.toString(16).padStart(8, "0")

/** Deployments by their usual names. Taproot and segwit share no height with the others. */
const DEPLOYMENTS = ["bip34", "bip66", "bip65", "csv", "segwit"] as const

const notifyDeployments = (engine: ChainEngine, height: Height): void => {
  for (const name of DEPLOYMENTS) {
    if (engine.parameters.heights[name] === height) notifyEvent(engine, "SoftForkActivated", { name, height })
  }
}

/** Notifies of changed deployments. Their states change only at the start of a signalling period. */
const notifySignalledDeployments = (engine: ChainEngine, { height, parent }: HeaderIndexNode): void => {
  if (parent === undefined) return
  for (const deployment of deploymentsOf(engine.network)) {
    if (height % deployment.period !== 0) continue
    const { name } = deployment
    const state = deploymentState(parent, deployment)
    if (state === deploymentState(parent.parent, deployment)) continue
    if (state === "locked_in") notifyEvent(engine, "SoftForkLockedIn", { name, height })
    if (state === "active") notifyEvent(engine, "SoftForkActivated", { name, height })
  }
}

const notifyDifficulty = (engine: ChainEngine, node: HeaderIndexNode): void => {
  const { work } = engine.parameters
  const { height, parent } = node
  if (parent === undefined || height % retargetInterval(work) !== 0) return
  const [old, bits] = [bitsText(parent.header.bits), bitsText(node.header.bits)]
  notifyEvent(engine, "DifficultyAdjusted", { height, old_bits: old, new_bits: bits })
  if (old !== bits) notifyEvent(engine, "MiningDifficultyChanged", { height, old_bits: old, bits })
}

const notifyTip = (engine: ChainEngine, node: HeaderIndexNode): void => {
  const { coins, tree } = engine
  const { time, version } = node.header
  const tip = {
    hash: node.hash.slice(),
    height: node.height,
    version,
    time,
    chainWork: node.chainWork,
    transactions: tree.columns.chainTransactions[node.index]!,
    progress: progressAt(engine, node),
    cacheBytes: coins.bytes()
  }
  engine.pendingNotifications.push({ _tag: "Tip", tip })
}

/** Notifies of a connected block, the new tip. */
export const notifyConnected = (engine: ChainEngine, node: HeaderIndexNode, transactions: number): void => {
  const block = { block_hash: displayHash(node.hash), height: node.height, transactions }
  notifyEvent(engine, "NewBlock", block)
  if (engine.options.notifiesTips === true) notifyTip(engine, node)
  // The progress of a download has its own log message.
  if (!engine.initialBlockDownload) notifyLog(engine, "info", "a new tip", block)
  notifyDifficulty(engine, node)
  notifyDeployments(engine, node.height)
  notifySignalledDeployments(engine, node)
}

/** Notifies of a disconnected block. */
export const notifyDisconnected = (engine: ChainEngine, node: HeaderIndexNode): void => {
  engine.notify({ _tag: "Disconnected", hash: node.hash.slice() })
  notifyEvent(engine, "BlockDisconnected", { block_hash: displayHash(node.hash), height: node.height })
}

/** Notifies of the verdict on a block. */
export const notifyVerdict = (
  engine: ChainEngine,
  node: HeaderIndexNode,
  rejection: Rejection | undefined,
  milliseconds: Milliseconds
): void => {
  if (engine.feed.isFollowed()) engine.verdicts.push({ _tag: "Judged", index: node.index, rejection })
  const hash = displayHash(node.hash)
  notifyEvent(engine, "BlockValidationCompleted", {
    block_hash: hash,
    height: node.height,
    valid: rejection === undefined,
    ...rejection === undefined ? {} : { reason: rejectionText(rejection) },
    duration_ms: milliseconds
  })
  if (rejection === undefined) return
  const { rule } = rejection
  const reason = rejectionText(rejection)
  notifyLog(engine, "warn", "a block is invalid", {
    block_hash: hash,
    height: node.height,
    reason,
    ...rule === undefined ? {} : { rule }
  })
  if (rule !== undefined) notifyEvent(engine, "ConsensusRuleViolation", { block_hash: hash, rule, reason })
}

/** Notifies of the checks of a block without its scripts. */
export const notifyCoinsChecked = (
  engine: ChainEngine,
  { hash, height }: HeaderIndexNode,
  valid: boolean,
  milliseconds: Milliseconds
): void =>
  notifyEvent(engine, "UTXOValidationCompleted", {
    block_hash: displayHash(hash),
    height,
    valid,
    duration_ms: milliseconds
  })

/** Counts the inputs of a block without the coinbase. */
export const inputCount = ({ transactions }: Block): number => {
  let count = 0
  for (let i = 1; i < transactions.length; i++) count += transactions[i]!.inputs.length
  return count
}
