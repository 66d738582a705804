import { blockIsMutated } from "@lockstep/kernel/internal/block/mutated.ts"
import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { blockHash, type NaiveBlock, parseBlock, serializeBlock } from "../../src/oracles/block.ts"
import { toHex } from "../../src/oracles/byte-string.ts"
import * as oracle from "../../src/oracles/check-block.ts"
import { type KernelNode, offerToKernel, sameCoins } from "../../src/sequence/kernel-node.ts"
import { type NaiveNode, offerToNaive } from "../../src/sequence/naive-node.ts"
import { kernelBlock, kernelIdentity } from "../../src/subject/chain.ts"
import { difference } from "../run/difference.ts"
import type { Providers } from "../target.ts"

const refused = (entries: Iterable<{ readonly key: string; readonly refused: boolean }>): ReadonlyArray<string> =>
  [...entries].filter((each) => each.refused).map(({ key }) => key)

/** Hands a block to both nodes; answers in what they differ. `observe` is called with what both say. */
export const offer = (
  naive: NaiveNode,
  kernel: KernelNode,
  block: NaiveBlock,
  heard: (said: string) => void
): string | undefined => {
  const expected = offerToNaive(naive, block)
  const answer = offerToKernel(kernel, serializeBlock(block))
  const judged = [...kernel.judged]
  heard(expected.said)
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

/** In what both readings differ of whether a block is not what its header commits to. */
export const mutation = (block: NaiveBlock, { crypto }: Providers[number]): string | undefined => {
  const [before, after] = [false, true].map((witnesses) =>
    difference(
      "mutated",
      blockIsMutated(kernelBlock(block), kernelIdentity(block), witnesses, crypto),
      oracle.blockIsMutated(block, witnesses)
    )
  )
  return before ?? after
}

/** In what both readings differ of bytes that are no block. */
export const undecoded = (bytes: Uint8Array): string | undefined => {
  const block = decodeBlock(bytes)
  return difference("decoded", block._tag === "Failure" ? block.failure.rule : "OK", parseBlock(bytes))
}

/** What became of a block once everything is offered: connected, refused for a rule, or never tried. */
export const fateOf = (block: NaiveBlock, said: string, naive: NaiveNode): string => {
  if (said !== "OK") return said
  const entry = naive.entries.get(toHex(blockHash(block)))
  const connection = entry?.connection?.said ?? "never tried"
  return connection.startsWith("OK") ? "connected" : connection
}
