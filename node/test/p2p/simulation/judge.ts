import { activeAt } from "../../../src/engine/header-index/active-chain.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { bestOf } from "./agreement.ts"
import { atRest } from "./at-rest.ts"
import { excessesOf, leftoversOf } from "./bounds.ts"
import type { Cast } from "./happenings.ts"
import type { Running, SimulatedNode } from "./node.ts"
import { heldBytes } from "./heap.ts"
import { isGuilty } from "./peers/catalogue.ts"
import type { World } from "./world.ts"

const SECOND = 1_000

/** A peer that did nothing wrong is banned and discouraged nowhere. */
const judgeReputation = (
  { fault, plan }: World,
  { nodes, peers }: Cast,
  name: string,
  { p2p: { reputation } }: Running
): void => {
  for (const { at, name: other } of nodes) {
    if (reputation.discouraged.has(at.address)) fault(`${name} discourages ${other}`)
  }
  for (const [i, peer] of peers.entries()) {
    const isInnocent = !isGuilty(plan.peers[i]!.role)
    if (isInnocent && reputation.discouraged.has(peer.at.address)) {
      fault(`${name} discourages ${peer.name}, which did nothing wrong`)
    }
  }
}

const isSameTree = ({ chain: { tree: copy }, engine: { chain: { tree } } }: Running): boolean => {
  const count = tree.nodes.length
  return copy.nodes.length === count && copy.tip.index === tree.tip.index &&
    copy.bestHeader.index === tree.bestHeader.index &&
    Buffer.compare(copy.columns.status.subarray(0, count), tree.columns.status.subarray(0, count)) === 0
}

/** What must hold at any time. */
export const judgeNow = (world: World, cast: Cast): void => {
  for (const { name, running } of cast.nodes) {
    const up = running()
    if (up === undefined) continue
    const tip = world.ledger.find(hashKey(up.chain.tree.tip.hash))
    if (tip === undefined) world.fault(`${name} is at a block that was not made`)
    else if (!tip.isValid) world.fault(`${name} is at an invalid block, ${tip.node.height}`)
    if (!isSameTree(up)) world.fault(`the network layer of ${name} has another tree of headers than its engine`)
    for (const excess of excessesOf(up, world)) world.fault(`${name}: ${excess}`)
    judgeReputation(world, cast, name, up)
  }
}

const disagreement = (world: World, cast: Cast): string => {
  const best = bestOf(world, cast)
  const tips = cast.nodes.map(({ name, running }) => {
    const up = running()
    return `${name} ${up?.chain.tree.tip.height} of ${up?.chain.tree.bestHeader.height} headers, ${up?.p2p.sync.progress.stage()}`
  })
  const views = cast.peers.slice(0, world.plan.honest).map(({ holdings: { view }, name }) =>
    `${name} ${view.best().node.height}`
  )
  return `no agreement: the best block is ${best.node.height}; ${[...tips, ...views].join(", ")}`
}

const setHashOf = async ({ run, running }: SimulatedNode): Promise<string> => {
  const { setHash } = await run(
    running()!.engine.call("setStatistics", { hashType: "muhash", at: undefined, useIndex: false })
  )
  return setHash === undefined ? "none" : hashKey(setHash)
}

/** Every block of a node's chain is on its disk as it was made, whatever happened in between. */
const judgeBlocks = async ({ fault, ledger }: World, { name, run, running }: SimulatedNode): Promise<void> => {
  const { chain } = running()!
  // Genesis is read from nowhere.
  for (let height = 1; height <= chain.tree.tip.height; height++) {
    const node = activeAt(chain.tree, height)!
    const bytes = await run(chain.blockBytes(node))
    const isRight = bytes !== undefined && Buffer.compare(bytes, ledger.find(hashKey(node.hash))!.bytes) === 0
    if (!isRight) return fault(`${name} has lost block ${height}`)
  }
}

/** Judges the end: all agree, no node holds anything of peers that are gone, and everything stops. */
export const judgeEnd = async (
  world: World,
  cast: Cast,
  agreedAfter: number | undefined,
  pass: (milliseconds: number) => Promise<void>
): Promise<void> => {
  const { fault } = world
  if (agreedAfter === undefined && world.faults.length === 0) fault(disagreement(world, cast))
  if (world.faults.length > 0) return
  judgeMemory(world)
  await judgeStorage(world, cast)
  await judgeLeaving(world, cast, pass)
}

/**
 * Bytes that a node with all its peers may take, its blocks and coins in memory and 9 MiB of verified scripts included,
 * and that it may take for a block.
 */
const NODE_BYTES = 36 * 1024 * 1024
const BLOCK_BYTES = 4 * 1024

const judgeMemory = ({ fault, heldAtStart, ledger, plan: { nodes } }: World): void => {
  const held = heldBytes() - heldAtStart
  const most = nodes * (NODE_BYTES + ledger.size() * BLOCK_BYTES)
  if (held > most) fault(`${held} bytes are held, at most ${most} should be`)
}

/** What is on the disks of the nodes is the same, and whole. */
const judgeStorage = async (world: World, { nodes }: Cast): Promise<void> => {
  const hashes = new Map<string, string>()
  for (const node of nodes) {
    const [tip, own] = [hashKey(node.running()!.chain.tree.tip.hash), await setHashOf(node)]
    if ((hashes.get(tip) ?? own) !== own) {
      world.fault(`${node.name} has other coins than another node at the same block`)
    }
    hashes.set(tip, own)
  }
  for (const node of nodes) await judgeBlocks(world, node)
}

/** No node holds anything of peers that are gone, and one that stops leaves nothing behind. */
const judgeLeaving = async (
  { fault, network, time }: World,
  { nodes, peers }: Cast,
  pass: (milliseconds: number) => Promise<void>
): Promise<void> => {
  for (const peer of peers) peer.leave()
  for (const { running } of nodes) running()!.p2p.connections.setActive(false)
  await pass(30 * SECOND)
  for (const { name, running } of nodes) {
    for (const leftover of leftoversOf(running()!)) fault(`${name} still has ${leftover}`)
  }
  if (network.connections() > 0) fault(`${network.connections()} connections are left`)
  for (const node of nodes) await node.stop()
  await atRest()
  for (const { fibers, name } of nodes) {
    if (fibers.running() !== 0) fault(`${name} left ${fibers.running()} fibers behind`)
  }
  if (time.sleepers() !== 0) fault(`${time.sleepers()} fibers still sleep`)
}
