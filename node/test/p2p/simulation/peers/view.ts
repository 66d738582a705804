import { forkOf, isOn, pathFrom } from "../ledger.ts"
import type { MadeBlock } from "../made-block.ts"

/** The blocks that a scripted peer has, and the chain it follows: the first seen of those with most work. */
export interface View {
  readonly has: (block: MadeBlock) => boolean
  /** Takes a block whose parent it has; answers whether its chain is another now. */
  readonly add: (block: MadeBlock) => boolean
  readonly best: () => MadeBlock
  readonly at: (height: number) => MadeBlock | undefined
  readonly locator: () => ReadonlyArray<Uint8Array>
}

const MOST_STEPS = 12

export const view = (base: ReadonlyArray<MadeBlock>): View => {
  const blocks = new Set<MadeBlock>(base)
  const chain = [...base]
  const best = (): MadeBlock => chain.at(-1)!

  const follow = (tip: MadeBlock): void => {
    const fork = forkOf(best(), tip)
    chain.splice(fork.node.height + 1)
    chain.push(...pathFrom(fork, tip))
  }

  return {
    has: (block) => blocks.has(block),
    add: (block) => {
      if (blocks.has(block) || !blocks.has(block.parent!)) return false
      blocks.add(block)
      if (block.node.chainWork <= best().node.chainWork) return false
      follow(block)
      return true
    },
    best,
    at: (height) => chain[height],
    locator: () => {
      const hashes: Array<Uint8Array> = []
      for (let height = best().node.height, step = 1; height > 0; height -= step) {
        hashes.push(chain[height]!.node.hash)
        if (hashes.length > MOST_STEPS) step *= 2
      }
      return [...hashes, chain[0]!.node.hash]
    }
  }
}

/** Blocks of the chain behind the newest one that `known` shares with it. */
export const newsFor = ({ best }: View, known: MadeBlock): ReadonlyArray<MadeBlock> =>
  isOn(best(), known) ? pathFrom(known, best()) : pathFrom(forkOf(best(), known), best())
