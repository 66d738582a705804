import type { MadeBlock } from "./made-block.ts"
import type { Cast } from "./happenings.ts"
import type { Running } from "./node.ts"
import type { ScriptedPeer } from "./peers/behaviour.ts"
import type { World } from "./world.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"

const honestPeers = ({ plan: { honest } }: World, { peers }: Cast) => peers.slice(0, honest)

/** The valid block of most work that an honest peer or a node of ours has. */
export const bestOf = (world: World, cast: Cast): MadeBlock => {
  let best = world.ledger.base[0]!
  const consider = (block: MadeBlock | undefined): void => {
    if (block !== undefined && block.isValid && block.node.chainWork > best.node.chainWork) best = block
  }
  for (const { holdings } of honestPeers(world, cast)) consider(holdings.view.best())
  for (const node of cast.nodes) {
    const tip = node.running()?.chain.tree.tip
    consider(tip === undefined ? undefined : world.ledger.find(hashKey(tip.hash)))
  }
  return best
}

/** Whether a node says that it has all there is, unless a peer has shown it headers and withholds the blocks. */
const saysSo = ({ chain: { tree }, p2p: { sync } }: Running): boolean => {
  const stage = sync.progress.stage()
  return stage === "Synced" || (stage !== "Error" && tree.bestHeader.chainWork > tree.tip.chainWork)
}

/** Whether any peer sends it anything: nodes need not have room for all who call. */
const isLinked = ({ links }: ScriptedPeer): boolean =>
  [...links].some(({ ended, isReady }) => isReady && ended === undefined)

/**
 * Whether every node of ours has the best chain that there is, and says so, and every honest peer with a link has it.
 */
export const isAgreed = (world: World, cast: Cast): boolean => {
  const best = bestOf(world, cast)
  return cast.nodes.every((node) => {
    const up = node.running()
    return up !== undefined && hashKey(up.chain.tree.tip.hash) === best.key && saysSo(up)
  }) && honestPeers(world, cast).every((peer) => !isLinked(peer) || peer.holdings.view.best() === best)
}
