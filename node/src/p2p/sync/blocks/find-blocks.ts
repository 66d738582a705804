import { ancestorAt, lastCommonAncestor } from "@lockstep/kernel/chain"
import { isActive } from "../../../engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../engine/header-index/header-status.ts"
import { has, type HeaderIndex } from "../../../engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../engine/header-index/header-index-node.ts"
import { firstRequest } from "./blocks-in-flight.ts"
import { resolveAnnounced } from "./block-availability.ts"
import type { PeerSync } from "../peer-sync.ts"
import { DOWNLOAD_WINDOW, LIMITED_PEER_BLOCKS } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/** The blocks to request from a peer. */
export interface BlocksToRequest {
  readonly nodes: ReadonlyArray<HeaderIndexNode>
  /** The peer that stalls the block download window, if nothing can be requested for that reason. */
  readonly staller: PeerSync | undefined
  /**
   * The blocks of this peer's chain that are in flight from the peer that owes the first one; empty unless nothing can
   * be requested.
   */
  readonly owed: ReadonlyArray<HeaderIndexNode>
}

const NOTHING: BlocksToRequest = { nodes: [], staller: undefined, owed: [] }

/**
 * Returns the newest block that the peer's best chain shares with the active chain, or with what was fetched from it so
 * far.
 */
const lastCommon = (
  { tip }: HeaderIndex,
  before: HeaderIndexNode | undefined,
  best: HeaderIndexNode
): HeaderIndexNode => {
  const fork = lastCommonAncestor(tip, best) as HeaderIndexNode
  const isBehind = before === undefined || fork.chainWork > before.chainWork ||
    ancestorAt(best, before.height) !== before
  return isBehind ? fork : before
}

/** True if a peer that keeps only its last blocks still has this one, and will when the request arrives. */
const keeps = ({ best, isLimited }: PeerSync, node: HeaderIndexNode): boolean =>
  !isLimited || node.height > best!.height - LIMITED_PEER_BLOCKS + 2

/** Returns the blocks between `common` and `best`, up to the first beyond the window, oldest first. */
const windowOf = (common: HeaderIndexNode, best: HeaderIndexNode): ReadonlyArray<HeaderIndexNode> => {
  const path: Array<HeaderIndexNode> = []
  const last = ancestorAt(best, Math.min(best.height, common.height + DOWNLOAD_WINDOW + 1)) as HeaderIndexNode
  for (let node = last; node !== common; node = node.parent!) path.push(node)
  return path.reverse()
}

const isHere = ({ arriving, context: { chain: { tree } } }: SyncState, node: HeaderIndexNode): boolean =>
  has(tree, node, HeaderStatus.STORED) || isActive(tree, node) || arriving.known.has(node.index)

/** True if the block is stored. If all blocks before it are stored as well, it becomes the last common block. */
const isShared = (sync: SyncState, from: PeerSync, node: HeaderIndexNode): boolean => {
  if (!isHere(sync, node)) return false
  if (has(sync.context.chain.tree, node, HeaderStatus.LINKED)) from.common = node
  return true
}

/**
 * True if neither this block nor those on top can be requested: it is invalid, or the peer cannot send its witnesses.
 */
const isEndFor = (
  { context: { chain: { tree }, network } }: SyncState,
  { servesWitnesses }: PeerSync,
  node: HeaderIndexNode
): boolean =>
  has(tree, node, HeaderStatus.INVALID) || (!servesWitnesses && node.height >= network.parameters.heights.segwit)

/**
 * Returns the peer that stalls a full window, or `undefined` if connecting an earlier block that has arrived will move
 * the window.
 */
const stallerOf = (
  { arriving: { known } }: SyncState,
  window: ReadonlyArray<HeaderIndexNode>,
  [first]: ReadonlyArray<HeaderIndexNode>,
  waitingFor: PeerSync | undefined
): PeerSync | undefined =>
  first !== undefined && window.some(({ height, index }) => height < first.height && known.has(index))
    ? undefined
    : waitingFor

/** Selects the blocks of the peer's window that are neither stored nor in flight. */
const missingOf = (
  sync: SyncState,
  from: PeerSync,
  window: ReadonlyArray<HeaderIndexNode>,
  end: number,
  most: number
): BlocksToRequest => {
  const nodes: Array<HeaderIndexNode> = []
  const owed: Array<HeaderIndexNode> = []
  let waitingFor: PeerSync | undefined
  /** True once the first block beyond the window was reached. */
  let isFull = false
  for (const node of window) {
    if (isEndFor(sync, from, node)) break
    if (isShared(sync, from, node)) continue
    const asked = firstRequest(sync, node)
    if (asked !== undefined) {
      waitingFor ??= asked.peer
      if (asked.peer === waitingFor) owed.push(node)
      continue
    }
    if (!keeps(from, node)) continue
    isFull = node.height > end
    if (!isFull) nodes.push(node)
    if (isFull || nodes.length === most) break
  }
  const isHeldUp = nodes.length === 0 && waitingFor !== from
  const kept = owed.filter((node) => keeps(from, node)).slice(0, most)
  return {
    nodes,
    staller: isFull && isHeldUp ? stallerOf(sync, window, owed, waitingFor) : undefined,
    owed: isHeldUp ? kept : []
  }
}

/**
 * Returns up to `most` next blocks of the peer's best chain that are neither stored nor in flight. They are within the
 * block download window beyond the last common block: a peer far ahead of a gap waits until it is closed.
 */
export const blocksWanted = (sync: SyncState, from: PeerSync, most: number): BlocksToRequest => {
  const { chain: { tree }, network } = sync.context
  resolveAnnounced(sync, from)
  const { best } = from
  if (
    most <= 0 || best === undefined || best.chainWork < tree.tip.chainWork || best.chainWork < network.minimumChainWork
  ) {
    return NOTHING
  }
  const common = lastCommon(tree, from.common, best)
  from.common = common
  return common === best
    ? NOTHING
    : missingOf(sync, from, windowOf(common, best), common.height + DOWNLOAD_WINDOW, most)
}
