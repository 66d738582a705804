import { blockIsMutated } from "@lockstep/kernel/block/mutated.ts"
import { type NaiveBlock, serializeBlock } from "../../src/oracles/block.ts"
import * as oracle from "../../src/oracles/check-block.ts"
import { type KernelNode, kernelCopy, offerToKernel, sameCoins } from "../../src/sequence/kernel-node.ts"
import { type NaiveEntry, type NaiveNode, naiveCopy, offerToNaive } from "../../src/sequence/naive-node.ts"
import { kernelBlock, kernelIds } from "../../src/subject/chain.ts"
import { difference } from "../run/difference.ts"
import { DAMAGES } from "../sequence/damage.ts"
import { draftOf } from "../sequence/draft.ts"
import { finished } from "../sequence/finish.ts"
import { type BlockPlan, type SequencePlan, sequencePlan } from "../sequence/plan.ts"
import { NETWORK_COUNT, startOn } from "../sequence/start.ts"
import type { Providers, Target } from "../target.ts"

/** The tip, or the newest block, or one before it; the last but seven of the start at the earliest. */
const parentOf = (naive: NaiveNode, back: number): NaiveEntry => {
  const entries = [...naive.entries.values()]
  return back === 0 ? naive.tip : entries[Math.max(98, entries.length - back)]!
}

const refused = (entries: Iterable<{ readonly key: string; readonly refused: boolean }>): ReadonlyArray<string> =>
  [...entries].filter((each) => each.refused).map(({ key }) => key)

const offer = (naive: NaiveNode, kernel: KernelNode, block: NaiveBlock): string | undefined => {
  const expected = offerToNaive(naive, block)
  const answer = offerToKernel(kernel, serializeBlock(block))
  const judged = [...kernel.judged]
  return (
    kernel.faults[0] ??
    difference("answer", answer.said, expected.said) ??
    difference(
      "judged",
      judged,
      judged.map(([key]) => [key, naive.entries.get(key)?.connection?.said])
    ) ??
    difference("refused", refused(kernel.entries.values()), refused(naive.entries.values())) ??
    difference("tip", answer.tip, expected.tip) ??
    difference("coins", sameCoins(answer.coins, expected.coins), true)
  )
}

const mutation = (block: NaiveBlock, { crypto }: Providers[number]): string | undefined => {
  const [before, after] = [false, true].map((witnesses) =>
    difference(
      "mutated",
      blockIsMutated(kernelBlock(block), kernelIds(block), witnesses, crypto),
      oracle.blockIsMutated(block, witnesses)
    )
  )
  return before ?? after
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

/** Blocks on a chain of coins, in and out of order: verdicts, tip and coins as a node has them that forgets nothing. */
export const blockSequenceTarget: Target<SequencePlan> = {
  name: "block-sequence",
  about: "blocks, right and wrong, on a small chain with forks",
  generate: (random) => sequencePlan(random, NETWORK_COUNT, DAMAGES.length),
  isInput: ({ network, blocks }) =>
    network < NETWORK_COUNT &&
    blocks.every(({ spends }) => spends.every(({ inputs, outputs }) => inputs > 0 && outputs.length > 0)),
  judge: ({ network, blocks }, providers) => {
    const start = startOn(network)
    const naive = naiveCopy(start.naive)
    const kernel = kernelCopy(start.kernel, providers[0]!.crypto)
    for (const [tag, plan] of blocks.entries()) {
      for (const block of blocksOf(plan, naive, tag)) {
        const wrong = offer(naive, kernel, block) ?? mutation(block, providers[0]!)
        if (wrong !== undefined) return wrong
      }
    }
    return undefined
  }
}
