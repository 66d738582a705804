import { ancestorAt, lastCommonAncestor } from "@lockstep/kernel/chain"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { activeAt, isActive } from "../../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { has, isInvalid } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { maybeAskForHeaders, maySyncFrom, MOST_IN_FLIGHT, resolveUnknown } from "./core-headers.ts"
import type { CoreLink } from "./core-link.ts"
import {
  askedOf,
  type CoreState,
  drop,
  hex,
  isInitialDownload,
  isLimited,
  nowAwaited,
  say,
  servesBlocks,
  servesWitnesses
} from "./core-state.ts"

const WINDOW = 1_024
const LIMITED_BLOCKS = 288
const SPACING_MS = 600_000
const CHAIN_SYNC_MS = 20 * 60_000
const STALL_MOST_MS = 64_000

/** What to ask a link for, and who holds that up. */
interface Next {
  readonly nodes: ReadonlyArray<HeaderIndexNode>
  readonly staller?: CoreLink | undefined
}

const isHere = ({ chain: { tree } }: CoreState, link: CoreLink, node: HeaderIndexNode): boolean => {
  if (!has(tree, node, HeaderStatus.STORED) && !isActive(tree, node)) return false
  if (has(tree, node, HeaderStatus.LINKED)) link.common = node
  return true
}

/** `FindNextBlocks`: goes along the link's best chain. */
const walk = (core: CoreState, link: CoreLink, best: HeaderIndexNode, from: number): Next => {
  const { tree } = core.chain
  const end = from + WINDOW
  const nodes: Array<HeaderIndexNode> = []
  let waitingFor: CoreLink | undefined
  for (let height = from + 1; height <= Math.min(best.height, end + 1); height++) {
    const node = ancestorAt(best, height) as HeaderIndexNode
    if (isInvalid(tree, node) || !servesWitnesses(link)) break
    if (isHere(core, link, node)) continue
    const asked = askedOf(core, hex(node.hash))
    waitingFor ??= asked[0]
    if (asked.length > 0) continue
    if (height > end) return { nodes, staller: nodes.length === 0 && waitingFor !== link ? waitingFor : undefined }
    if (isLimited(link) && best.height - height >= LIMITED_BLOCKS - 2) continue
    nodes.push(node)
    if (nodes.length === MOST_IN_FLIGHT - link.inFlight.size) break
  }
  return { nodes }
}

/** `FindNextBlocksToDownload`. */
const nextBlocks = (core: CoreState, link: CoreLink): Next => {
  const { tree } = core.chain
  resolveUnknown(core, link)
  const { best } = link
  if (best === undefined || best.chainWork < tree.tip.chainWork) return { nodes: [] }
  const guess = link.common ?? activeAt(tree, Math.min(best.height, tree.tip.height))!
  link.common = lastCommonAncestor(guess, best) as HeaderIndexNode
  return walk(core, link, best, link.common.height)
}

/** The next blocks, where they are asked of this link. */
export const requestBlocks = (core: CoreState, link: CoreLink): void => {
  const isAsked = (maySyncFrom(core, link) && !isLimited(link)) || !isInitialDownload(core)
  if (!servesBlocks(link) || !isAsked || link.inFlight.size >= MOST_IN_FLIGHT) return
  const { nodes, staller } = nextBlocks(core, link)
  for (const node of nodes) nowAwaited(core, link, node)
  if (nodes.length > 0) {
    say(link, { command: "getdata", inventory: nodes.map(({ hash }) => ({ type: InventoryType.WITNESS_BLOCK, hash })) })
  }
  if (link.inFlight.size === 0 && staller !== undefined && staller.stallingSince === 0) {
    staller.stallingSince = core.environment.now()
  }
}

/** Stalling, and blocks that do not come in time. */
export const watchDownload = (core: CoreState, link: CoreLink): void => {
  const now = core.environment.now()
  if (link.stallingSince !== 0 && link.stallingSince < now - core.stallTimeout) {
    core.stallTimeout = Math.min(2 * core.stallTimeout, STALL_MOST_MS)
    return drop(core, link, "peer is stalling block download")
  }
  if (link.inFlight.size === 0) return
  const others = [...core.links].filter((other) => other !== link && other.inFlight.size > 0).length
  if (now > link.downloadingSince + SPACING_MS * (1 + 0.5 * others)) drop(core, link, "timeout downloading block")
}

/** `ConsiderEviction`: an outbound peer whose chain stays behind. */
export const watchChain = (core: CoreState, link: CoreLink): void => {
  if (link.kind !== "outbound-full-relay" && link.kind !== "block-relay-only") return
  if (!link.syncStarted) return
  const now = core.environment.now()
  const { tip } = core.chain.tree
  if (link.best !== undefined && link.best.chainWork >= tip.chainWork) {
    link.behindSince = 0
    return
  }
  const hasCaughtUp = link.behindGoal !== undefined && link.best !== undefined &&
    link.best.chainWork >= link.behindGoal.chainWork
  if (link.behindSince === 0 || hasCaughtUp) {
    Object.assign(link, { behindSince: now + CHAIN_SYNC_MS, behindGoal: tip, behindAsked: false })
  } else if (now > link.behindSince) {
    if (link.behindAsked) return drop(core, link, "outbound peer has old chain")
    link.behindAsked = true
    link.behindSince = now + 2 * 60_000
    maybeAskForHeaders(core, link, link.behindGoal!.parent ?? link.behindGoal!)
  }
}
