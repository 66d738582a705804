import { checkBlock, checkBlockInContext } from "@lockstep/kernel/internal/block/check-block.ts"
import type { ChainParameters } from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import { versionIsSupported } from "@lockstep/kernel/internal/header/contextual.ts"
import { blockIdentity } from "@lockstep/kernel/internal/model/block-identity.ts"
import { compactTarget } from "@lockstep/kernel/internal/work/compact-target.ts"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import * as Result from "effect/Result"
import { parentOf } from "../chain/block-setting.ts"
import type { ChainEnd } from "../chain/detached-chain.ts"
import { networkOfFile } from "../chain/network-of-file.ts"
import type { Field } from "../formats/field.ts"
import type { Bench } from "../judge/bench.ts"
import type { Outcome } from "../judge/outcome.ts"
import type { VectorFile } from "../sources/source.ts"
import { blockIn, blockNameOf, factsOf, placeOf } from "./block-file.ts"
import { judgeHeaderStep } from "./header-steps.ts"
import type { Runner } from "./runner.ts"

/** Consensus of the network that the name of `file` starts with. */
export const parametersOf = (file: VectorFile): ChainParameters => networkOfFile(file).parameters

const judgeRules = (file: VectorFile, { crypto }: Bench): Outcome => {
  const block = blockIn(file)
  const { height } = placeOf(file)
  const parameters = parametersOf(file)
  // The median time past of the parent is not known; it is earlier than the block.
  const parent = parentOf(block, height, block.header.time, parameters)
  const identity = blockIdentity(block, crypto)
  const verdicts = [
    () => checkBlock(block, identity, parameters, crypto),
    () => versionIsSupported(block.header, height, parameters.heights),
    () => checkBlockInContext(block, identity, parent, parameters, crypto)
  ]
  for (const verdict of verdicts) {
    const result = verdict()
    if (Result.isFailure(result)) return { expected: "holds", actual: "fails", rule: result.failure.rule }
  }
  return undefined
}

/** The end of the chain below a block, where the facts give it. */
export const chainEndBelow = (facts: Field): ChainEnd | undefined => {
  const context = facts.find("context")
  if (context?.find("prevTimestamps") === undefined) return undefined
  return {
    height: facts.get("height").integer - 1,
    hash: facts.get("prev").displayBytes,
    bits: compactTarget(context.get("targetBefore").bigint),
    periodStart: context.get("epochStartTime").integer,
    times: context.get("prevTimestamps").items.map(({ integer }) => integer),
    chainWork: context.get("prevTotalWork").bigint
  }
}

const judgeHeader = (file: VectorFile, { crypto }: Bench): Outcome => {
  const facts = factsOf(file)
  const below = facts && chainEndBelow(facts)
  if (below === undefined || parametersOf(file) !== MAINNET.parameters) return undefined
  return judgeHeaderStep(below, blockIn(file).header, facts!.get("context").get("expectedAfter"), crypto)
}

/** A real block under every rule that needs no coins, and its header on the end of its chain where that is known. */
export const blockRules: Runner = function*(file) {
  yield { index: "0", name: blockNameOf(file), judge: (bench) => judgeRules(file, bench) ?? judgeHeader(file, bench) }
}
