import type { NaiveBlock } from "../../src/oracles/block.ts"
import { kernelCopy } from "../../src/sequence/kernel-node.ts"
import { type NaiveEntry, type NaiveNode, naiveCopy } from "../../src/sequence/naive-node.ts"
import { DAMAGES } from "../sequence/damage.ts"
import { draftOf } from "../sequence/draft.ts"
import { finished } from "../sequence/finish.ts"
import { fateOf, mutation, offer } from "../sequence/offer.ts"
import { type BlockPlan, type SequencePlan, sequencePlan } from "../sequence/plan.ts"
import { playReal } from "../sequence/play-real.ts"
import { CHANGE_KINDS } from "../sequence/real-block.ts"
import { isRealPlan, type RealPlan, realPlan } from "../sequence/real-plan.ts"
import { NETWORK_COUNT, startOn } from "../sequence/start.ts"
import { count, tally } from "../sequence/tally.ts"
import type { Providers, Target } from "../target.ts"

/** The tip, or the newest block, or one before it; the last but seven of the start at the earliest. */
const parentOf = (naive: NaiveNode, back: number): NaiveEntry => {
  const entries = [...naive.entries.values()]
  return back === 0 ? naive.tip : entries[Math.max(98, entries.length - back)]!
}

/** The block of the plan as it is to be, and without damage where that is offered as well. */
const blocksOf = (plan: BlockPlan, naive: NaiveNode, tag: number): ReadonlyArray<NaiveBlock> => {
  const parent = parentOf(naive, plan.back)
  const draft = draftOf(plan, parent, naive.parameters, naive.now, tag)
  for (const { kind, how } of plan.damages) DAMAGES[kind]!(draft, how)
  const blocks = [finished(draft)]
  if (plan.again) blocks.push(finished(draftOf(plan, parent, naive.parameters, naive.now, tag)))
  return blocks
}

const playMade = ({ network, blocks }: SequencePlan, providers: Providers): string | undefined => {
  const start = startOn(network)
  const naive = naiveCopy(start.naive)
  const kernel = kernelCopy(start.kernel, providers[0]!.crypto)
  const heard: Array<readonly [NaiveBlock, string]> = []
  for (const [tag, plan] of blocks.entries()) {
    for (const block of blocksOf(plan, naive, tag)) {
      const wrong = offer(naive, kernel, block, (said) => heard.push([block, said])) ?? mutation(block, providers[0]!)
      if (wrong !== undefined) return wrong
    }
  }
  for (const [block, said] of heard) count("made-up blocks", fateOf(block, said, naive))
  return undefined
}

const isSequencePlan = ({ network, blocks }: SequencePlan): boolean =>
  network < NETWORK_COUNT &&
  blocks.every(({ spends }) => spends.every(({ inputs, outputs }) => inputs > 0 && outputs.length > 0))

/**
 * Blocks on a chain of coins, in and out of order: verdicts, tip and coins as a node has them that forgets nothing. The
 * chain is a made-up one, or the front of a real one whose blocks then come changed.
 */
export const blockSequenceTarget: Target<SequencePlan | RealPlan> = {
  name: "block-sequence",
  about: "blocks, right and wrong, on small and on real chains with forks",
  generate: (random, { chains }) =>
    chains.length > 0 && !random.oneIn(3)
      ? realPlan(random, chains, CHANGE_KINDS)
      : sequencePlan(random, NETWORK_COUNT, DAMAGES.length),
  isInput: (plan) => ("steps" in plan ? isRealPlan(plan, CHANGE_KINDS) : isSequencePlan(plan)),
  judge: (plan, providers) => {
    count("sequences", "steps" in plan ? "of a real chain" : "made up")
    return "steps" in plan ? playReal(plan, providers) : playMade(plan, providers)
  },
  notes: tally
}
