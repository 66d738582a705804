import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { OP_TRUE_SCRIPT, START } from "./base-chain.ts"
import type { MadeBlock } from "./made-block.ts"
import type { SimulatedNode } from "./node.ts"
import { hold, holdTransaction } from "./peers/honesty.ts"
import type { ScriptedPeer } from "./peers/behaviour.ts"
import type { PlannedEvent } from "./plan/plan.ts"
import { childOfTransaction } from "./wallet.ts"
import { nodePlace, peerPlace, type World } from "./world.ts"

/** Everybody who takes part. */
export interface Cast {
  readonly nodes: ReadonlyArray<SimulatedNode>
  readonly peers: ReadonlyArray<ScriptedPeer>
}

const seconds = ({ time }: World): number => Math.floor(time.clock.now() / 1_000)

/** A block on top of another, with a transaction where there is a coin for one. */
const blockOn = (world: World, parent: MadeBlock, withTransaction: boolean): MadeBlock => {
  const transaction = withTransaction ? world.wallet.spend(parent) : undefined
  // The reward leaves the fees unclaimed.
  return world.ledger.make({
    parent,
    time: seconds(world),
    transactions: transaction === undefined ? [] : [transaction]
  })
}

/** A peer finds the next block of its chain. */
export const mine = (world: World, miner: ScriptedPeer, withTransaction: boolean): MadeBlock => {
  const block = blockOn(world, miner.holdings.view.best(), withTransaction)
  world.trace.line(`${miner.name} finds block ${block.node.height}`)
  hold(miner, block)
  return block
}

/** A peer shows a branch that it kept to itself, with more work than its chain. */
const branch = (world: World, miner: ScriptedPeer, depth: number, more: number): void => {
  const { view } = miner.holdings
  const from = view.at(view.best().node.height - depth) ?? view.at(0)!
  world.trace.line(`${miner.name} shows a branch from ${from.node.height}`)
  for (let at = from, i = 0; i < depth + more; i++) {
    at = blockOn(world, at, i % 2 === 0)
    hold(miner, at)
  }
}

/** A node of ours makes a block, as `generatetoaddress` does. */
const generate = async ({ ledger, trace }: World, node: SimulatedNode): Promise<void> => {
  const running = node.running()
  if (running === undefined) return
  const { chain, engine } = running
  trace.line(`${node.name} makes a block`)
  const request = { script: OP_TRUE_SCRIPT, blocks: 1, maxTries: 1_000_000, transactions: [], submit: true }
  await node.run(Effect.gen(function*() {
    const answer = yield* Effect.option(engine.call("generate", request))
    // While there is no space nothing is made.
    if (answer._tag === "None") return
    const bytes = yield* chain.blockBytes(chain.tree.tip)
    if (bytes !== undefined) ledger.takeIn(bytes)
  }))
}

/** A peer makes a transaction and so many that spend one another; answers the last. */
export const transact = ({ wallet }: World, peer: ScriptedPeer, chained: number): Transaction | undefined => {
  const first = wallet.spend(peer.holdings.view.best())
  if (first === undefined) return undefined
  const all = [first]
  for (let i = 0; i < chained; i++) all.push(childOfTransaction(all.at(-1)!))
  // Children first: they are orphans until their parents come.
  for (const transaction of all.toReversed()) holdTransaction(peer, transaction)
  return all.at(-1)
}

/** Does it after so many seconds, if the trouble is not over by then: that ends all of it. */
const later = ({ plan, time: { clock } }: World, after: number, act: () => void): void => {
  if (clock.now() + after * 1_000 < (START + plan.seconds) * 1_000) clock.after(after * 1_000, act)
}

/** Goes off the network for a while. */
const goOffline = (world: World, { name, running }: SimulatedNode, after: number): void => {
  const { trace } = world
  const before = running()
  trace.line(`${name} goes offline`)
  before?.p2p.connections.setActive(false)
  later(world, after, () => before?.p2p.connections.setActive(true))
}

const runLow = (world: World, { name, setLow }: SimulatedNode, after: number): void => {
  world.trace.line(`${name} has no space left`)
  setLow(true)
  later(world, after, () => setLow(false))
}

const restartAfter = (world: World, node: SimulatedNode, after: number, isDue: Array<() => Promise<void>>): void => {
  later(world, after, () =>
    isDue.push(async () => {
      if (node.running() === undefined) await node.start()
    }))
}

/** Does what is planned. `isDue` takes what has to be done later, once everything is at rest. */
export const happen = async (
  world: World,
  { nodes, peers }: Cast,
  event: PlannedEvent,
  isDue: Array<() => Promise<void>>
): Promise<void> => {
  const { network, trace } = world
  switch (event.what) {
    case "mine":
      return void mine(world, peers[event.peer]!, event.loose)
    case "branch":
      return branch(world, peers[event.peer]!, event.depth, event.more)
    case "generate":
      return generate(world, nodes[event.node]!)
    case "transaction":
      return void transact(world, peers[event.peer]!, event.chained)
    case "partition": {
      trace.line(`a partition: nodes ${event.nodes.join()} with peers ${event.peers.join()}`)
      const one = [...event.nodes.map(nodePlace), ...event.peers.map(peerPlace)].map(({ address }) => address)
      const others = [...nodes, ...peers].map(({ at }) => at.address).filter((address) =>
        !one.some((each) => Buffer.compare(each.bytes, address.bytes) === 0)
      )
      return network.partition([one, others])
    }
    case "heal":
      trace.line("the partition ends")
      return network.heal()
    case "drop":
      return void network.drop(
        nodePlace(event.node).address,
        event.peer === undefined ? undefined : peerPlace(event.peer).address
      )
    case "offline":
      return goOffline(world, nodes[event.node]!, event.seconds)
    case "low space":
      return runLow(world, nodes[event.node]!, event.seconds)
    case "crash":
    case "stop": {
      const node = nodes[event.node]!
      if (node.running() === undefined) return
      await node[event.what]()
      restartAfter(world, node, event.seconds, isDue)
    }
  }
}
