import { ancestorAt } from "@lockstep/kernel/chain"
import { headerOf } from "@lockstep/kernel/model"
import { blockOf } from "../../../src/engine/validation/read-block.ts"
import { hashKey } from "../../../src/p2p/basics/hash-key.ts"
import { baseChain } from "./base-chain.ts"
import { makeBlock, type MadeBlock, madeOf, type NewBlock } from "./made-block.ts"

/** All blocks that were made in a simulation: what scripted peers know to be right or wrong without judging it. */
export interface Ledger {
  readonly base: ReadonlyArray<MadeBlock>
  readonly find: (key: string) => MadeBlock | undefined
  /** Makes a block and remembers it. */
  readonly make: (block: Omit<NewBlock, "tag">) => MadeBlock
  /** Remembers a valid block that one of our nodes made. */
  readonly takeIn: (bytes: Uint8Array) => MadeBlock
  /** How many headers there are that any node may have stored. */
  readonly size: () => number
}

export const ledger = (length: number): Ledger => {
  const base = baseChain(length)
  const blocks = new Map(base.map((block) => [block.key, block]))
  let tags = 0
  const remember = (block: MadeBlock): MadeBlock => {
    blocks.set(block.key, block)
    return block
  }
  return {
    base,
    find: (key) => blocks.get(key),
    make: (block) => remember(makeBlock({ ...block, tag: ++tags })),
    takeIn: (bytes) => {
      const parent = blocks.get(hashKey(headerOf(bytes.slice(0, 80)).previous))!
      return remember(madeOf(parent, bytes, blockOf(bytes)!.transactions))
    },
    size: () => blocks.size
  }
}

/** Whether `block` is on the chain that ends in `tip`. */
export const isOn = (tip: MadeBlock, { node }: MadeBlock): boolean => ancestorAt(tip.node, node.height) === node

/** The newest block on both chains. */
export const forkOf = (a: MadeBlock, b: MadeBlock): MadeBlock => {
  let at = a
  while (!isOn(b, at)) at = at.parent!
  return at
}

/** The blocks behind `fork` up to `tip`, oldest first. */
export const pathFrom = (fork: MadeBlock, tip: MadeBlock): ReadonlyArray<MadeBlock> => {
  const path: Array<MadeBlock> = []
  for (let at = tip; at !== fork; at = at.parent!) path.push(at)
  return path.reverse()
}
