import { evaluate } from "../../src/oracles/evaluate.ts"
import type { NaiveTapscript, NaiveVersion } from "../../src/oracles/machine.ts"
import type { NaiveSpend } from "../../src/oracles/spend.ts"
import type { NaiveStack } from "../../src/oracles/stack-functions.ts"
import { join } from "../../src/oracles/byte-string.ts"
import { kernelEvaluation } from "../../src/subject/kernel.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { mutateScript, randomInstruction } from "../mutate/script.ts"
import { randomFlags } from "../mutate/spend.ts"
import type { Random } from "../random.ts"
import { difference } from "../run/difference.ts"
import { isSpend } from "./spend-input.ts"
import type { Seeds, Target } from "../target.ts"

interface Evaluation {
  readonly stack: NaiveStack
  readonly script: Uint8Array
  readonly version: NaiveVersion
  readonly spend: NaiveSpend
  readonly tapscript: NaiveTapscript
}

const soup = (random: Random, seeds: Seeds): Uint8Array =>
  join(...Array.from({ length: random.below(30) }, () => randomInstruction(random, random.pick(seeds.signatures))))

const element = (random: Random, { signatures, keys }: Seeds): Uint8Array => {
  const kind = random.below(4)
  if (kind < 2) return mutateBytes(random.bytes(random.below(5)), random).subarray(0, 520)
  return kind === 2 ? random.pick(keys) : random.pick(signatures)
}

/** Scripts of the corpus edited, and soup, on any stack, in all three versions: result and final stack. */
export const evaluateTarget: Target<Evaluation> = {
  name: "evaluate",
  about: "scripts, edited and made up, evaluated on any stack",
  generate: (random, seeds) => ({
    stack: Array.from({ length: random.below(7) }, () => element(random, seeds)),
    script: random.oneIn(3)
      ? soup(random, seeds)
      : mutateScript(random.pick(seeds.scripts), random, random.pick(seeds.scripts)),
    version: random.pick(["base", "witness_v0", "tapscript"] as const),
    spend: { ...random.pick(seeds.spends), flags: randomFlags(random) },
    tapscript: {
      leafHash: new Uint8Array(32).fill(random.below(3)),
      annex: random.oneIn(3) ? Uint8Array.of(0x50, random.below(256)) : undefined,
      budget: random.pick([0, 49, 50, 99, 100, 1000])
    }
  }),
  isInput: ({ spend, tapscript }) => isSpend(spend) && tapscript.leafHash.length === 32,
  judge: ({ stack, script, version, spend, tapscript }) =>
    difference(
      "result",
      kernelEvaluation(stack, script, version, spend, tapscript),
      evaluate(stack, script, version, spend, tapscript)
    )
}
