import { transactionId } from "@lockstep/kernel/model"
import { addressKey } from "../../../src/net/endpoint-text.ts"
import { isForBlocks, isFullRelay, type Peer } from "../../../src/p2p/peer/peer.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { type Cast, mine } from "./happenings.ts"
import type { SimulatedNode } from "./node.ts"
import { holdTransaction } from "./peers/honesty.ts"
import type { World } from "./world.ts"

const SECOND = 1_000
/** Milliseconds in which nodes find each other again. */
const REGROUPING = 60 * SECOND
/** Milliseconds within which news must be everywhere. */
const PATIENCE = 5 * 60 * SECOND

type Pass = (milliseconds: number) => Promise<void>

/** The nodes that news reach from the first over connections that carry them. */
const reached = (
  nodes: ReadonlyArray<SimulatedNode>,
  first: SimulatedNode,
  carries: (peer: Peer) => boolean
): ReadonlySet<SimulatedNode> => {
  const nodeAt = new Map(nodes.map((node) => [addressKey(node.at.address), node]))
  const edges = nodes.flatMap((node) =>
    [...node.running()!.p2p.service.peers.values()]
      .filter((peer) => peer.isReady && !peer.isGone && !peer.inbound && carries(peer))
      .map(({ endpoint }) => [node, nodeAt.get(addressKey(endpoint.address))] as const)
  )
  const found = new Set([first])
  for (let before = 0; before < found.size;) {
    before = found.size
    for (const [one, other] of edges) {
      if (other === undefined) continue
      if (found.has(one)) found.add(other)
      if (found.has(other)) found.add(one)
    }
  }
  return found
}

/**
 * A block and a transaction that come to one node are soon at all that it is linked with, when no other node passes them
 * on. The pools of the network layers are what their engines say.
 */
export const judgeRelay = async (world: World, { nodes, peers }: Cast, pass: Pass): Promise<void> => {
  const { fault, time: { clock }, trace, wallet } = world
  const [from, ...others] = peers
  const link = [...from!.links].find(({ ended, hello, isReady }) =>
    isReady && ended === undefined && hello?.relay === 1
  )
  const first = nodes.find(({ at }) => addressKey(at.address) === link?.node)
  if (link === undefined || first === undefined) return
  trace.line(`only ${from!.name} stays, with ${first.name} alone`)
  for (const peer of others) peer.leave()
  from!.keepOnly(link)
  await pass(REGROUPING)

  const withBlocks = reached(nodes, first, isForBlocks)
  const withTransactions = reached(nodes, first, isFullRelay)
  const block = mine(world, from!, false)
  const transaction = wallet.spendFresh(block)
  const id = transaction === undefined ? undefined : transactionId(transaction, testCrypto)
  if (transaction !== undefined) holdTransaction(from!, transaction)
  const withoutBlock = () =>
    [...withBlocks].filter(({ running }) => running()!.chain.tree.tip.chainWork < block.node.chainWork)
  const withoutTransaction = () =>
    [...withTransactions].filter(({ running }) => id !== undefined && !running()!.chain.mempool.has("txid", id))
  const isMissing = () => withoutBlock().length + withoutTransaction().length > 0
  for (const end = clock.now() + PATIENCE; isMissing() && clock.now() < end && world.faults.length === 0;) {
    await pass(SECOND)
  }
  for (const { name } of withoutBlock()) fault(`a block did not reach ${name}`)
  for (const { name } of withoutTransaction()) fault(`a transaction did not reach ${name}`)
  for (const node of nodes) await judgePool(world, node)
}

const judgePool = async ({ fault }: World, { name, run, running }: SimulatedNode): Promise<void> => {
  const { chain, engine } = running()!
  const { txids } = await run(engine.call("mempoolIds", undefined))
  const ids = Array.from({ length: txids.length / 32 }, (_, i) => txids.slice(i * 32, i * 32 + 32))
  const isSame = ids.length === chain.mempool.size() && ids.every((id) => chain.mempool.has("txid", id))
  if (!isSame) fault(`the network layer of ${name} has another pool than its engine`)
}
