import { judgeScripts } from "@lockstep/kernel/connect"
import { blockScriptFlags } from "@lockstep/kernel/deployment"
import { inputSigOps, spendsWitnessProgram, STANDARD_FLAGS } from "@lockstep/kernel/relay"
import { CONSENSUS_FLAGS, isPushOnly, type ScriptFlags } from "@lockstep/kernel/script"
import type { Violation } from "@lockstep/kernel/verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ChainEngine } from "../../state/chain-engine.ts"
import type { ScriptPoolFailure } from "../../script-pool/script-pool.ts"
import type { MempoolCandidate } from "./candidate.ts"
import { type Refusal, refusal } from "./refusal.ts"
import type { Rig } from "./rig.ts"

type Scripted = Pick<MempoolCandidate, "coins" | "tx">

/** Matches no block, so that no exception applies. */
const NO_BLOCK = new Uint8Array(32)

/** The flags for the scripts of the block on top of the tip. */
export const nextBlockFlags = ({ parameters, tree: { tip } }: ChainEngine): ScriptFlags =>
  blockScriptFlags(NO_BLOCK, tip.height + 1, parameters)

/**
 * The sets of flags to verify under, one after the other. Standard flags are those of today's blocks and policy. Flags
 * only forbid, so scripts that are valid under them are valid in a block of today. Under the flags of any other block
 * they are verified as well.
 */
const passesFor = (next: ScriptFlags): ReadonlyArray<ScriptFlags> =>
  next === (STANDARD_FLAGS & CONSENSUS_FLAGS) ? [STANDARD_FLAGS] : [STANDARD_FLAGS, next]

/** Maximum number of inputs of a transaction that this thread verifies itself. */
const MAX_CHEAP_INPUTS = 16

/** Reports whether no script verifies a signature. Running such scripts takes less time than a request to the workers. */
const isCheap = ({ coins, tx }: Scripted): boolean =>
  !tx.hasWitness && tx.inputs.length <= MAX_CHEAP_INPUTS && inputSigOps(tx, coins) === 0

const verifyHere = ({ machine }: Rig, { coins, tx }: Scripted, flags: ScriptFlags): Violation | undefined => {
  const verdict = judgeScripts(machine, { tx, coins, flags })
  return Result.isFailure(verdict) ? verdict.failure : undefined
}

const isStripped = (machine: Rig["machine"], { coins, tx }: Scripted): boolean =>
  !tx.hasWitness && tx.inputs.every(({ script }) => isPushOnly(script)) && spendsWitnessProgram(machine, tx, coins)

const refusalOf = ({ machine }: Rig, scripted: Scripted, failure: Violation | undefined): Refusal | undefined =>
  failure && refusal(failure, { isStripped: isStripped(machine, scripted) })

/** A running or finished verification. It yields `undefined` if all scripts are valid. */
export type Verification =
  & {
    /** The flags of the next block, under which the scripts are verified as well. */
    readonly flags: ScriptFlags
  }
  & (
    | { readonly _tag: "Done"; readonly refusal: Refusal | undefined }
    | { readonly _tag: "Started"; readonly answer: Effect.Effect<Refusal | undefined, ScriptPoolFailure> }
  )

/** Verifies the scripts of a transaction for relay and for the next block. Workers start at once. */
export const verifyScripts = (rig: Rig, scripted: Scripted): Verification => {
  const { engine, scripts } = rig
  const next = nextBlockFlags(engine)
  const passes = passesFor(next)
  const { coins, tx } = scripted
  if (isCheap(scripted)) {
    let failure: Violation | undefined
    for (const flags of passes) failure ??= verifyHere(rig, scripted, flags)
    return { _tag: "Done", flags: next, refusal: refusalOf(rig, scripted, failure) }
  }
  const answers = passes.map((flags) => scripts.verify({ tx, coins, flags }))
  const answer = Effect.gen(function*() {
    let failure: Violation | undefined
    for (const each of answers) failure ??= yield* each
    return refusalOf(rig, scripted, failure)
  })
  return { _tag: "Started", flags: next, answer }
}
