import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { Transaction } from "@lockstep/kernel/internal/model/transaction.ts"
import {
  errorOf,
  type Fault,
  isBroken,
  NO_FAULT,
  type Outcome,
  ruleOf,
  YES
} from "@lockstep/kernel/internal/script/fault.ts"
import { ScriptFlag, type ScriptFlagName } from "@lockstep/kernel/internal/script/flags.ts"
import { evaluateScript } from "@lockstep/kernel/internal/interpreter/evaluate.ts"
import {
  createMachine,
  loadScript,
  type Machine,
  push,
  resetMachine,
  SigVersion,
  type Spend
} from "@lockstep/kernel/internal/machine/machine.ts"
import { verifyScript } from "@lockstep/kernel/internal/interpreter/verify-script.ts"
import { spendDigests } from "@lockstep/kernel/internal/sighash/digests.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import { sha256 } from "../oracles/hash.ts"
import { NO_TAPSCRIPT } from "../oracles/evaluate.ts"
import type { NaiveTapscript, NaiveVersion } from "../oracles/machine.ts"
import type { NaiveSpend } from "../oracles/spend.ts"
import {
  hasWitness,
  lengthPrefixed,
  type NaiveTransaction,
  serializeBody,
  serializeTransaction
} from "../oracles/transaction.ts"

/** `OK`, or rule and reference error name, as the oracles say it. */
export const faultName = (fault: Fault): string => (fault === NO_FAULT ? "OK" : `${ruleOf(fault)} ${errorOf(fault)}`)

/** The answer to a question on the way, or rule and reference error name of what ended it, as the oracles say it. */
export const outcomeName = (
  outcome: Outcome
): boolean | string => (isBroken(outcome) ? faultName(outcome) : outcome === YES)

/** `OK` or the rule. */
export const verdictName = <A>(
  verdict: Verdict<A>
): string => (verdict._tag === "Success" ? "OK" : verdict.failure.rule)

export const flagBits = (names: Iterable<string>): number =>
  [...names].reduce((bits, name) => bits | ScriptFlag[name as ScriptFlagName], 0)

/** The kernel's form of a transaction, built field by field so that codecs are not trusted before they are tested. */
export const kernelTransaction = (tx: NaiveTransaction): Transaction => ({
  bytes: serializeTransaction(tx),
  body: serializeBody(tx),
  hasWitness: hasWitness(tx),
  version: tx.version,
  inputs: tx.inputs.map(({ txid, vout, script, sequence, witness }) => ({
    prevout: { txid, vout },
    script,
    sequence,
    witness
  })),
  outputs: tx.outputs,
  lockTime: tx.lockTime
})

export const kernelSpend = (spend: NaiveSpend, crypto: Crypto = nobleCrypto): Spend => {
  const tx = kernelTransaction(spend.tx)
  return {
    tx,
    inputIndex: spend.index,
    spentOutputs: spend.spent,
    digests: spendDigests(tx, spend.spent, crypto),
    flags: flagBits(spend.flags)
  }
}

/** What the kernel says of a spend, in the words of the oracle. */
export const kernelVerdict = (spend: NaiveSpend, m: Machine = createMachine(nobleCrypto)): string => {
  const verdict = verifyScript(m, kernelSpend(spend, m.crypto))
  return verdict._tag === "Success" ? "OK" : `${verdict.failure.rule} ${verdict.failure.detail.error}`
}

export const KERNEL_VERSIONS: Readonly<Record<NaiveVersion, SigVersion>> = {
  base: SigVersion.BASE,
  witness_v0: SigVersion.WITNESS_V0,
  tapscript: SigVersion.TAPSCRIPT
}

/** A machine about to run `script` on `stack`. */
export const loadedMachine = (
  stack: ReadonlyArray<Uint8Array>,
  script: Uint8Array,
  version: NaiveVersion,
  spend: NaiveSpend,
  tapscript: NaiveTapscript = NO_TAPSCRIPT
): Machine => {
  const m = createMachine(nobleCrypto)
  resetMachine(m, kernelSpend(spend))
  for (const element of stack) push(m, element)
  m.leafHash = tapscript.leafHash
  m.annexHash = tapscript.annex ? sha256(lengthPrefixed(tapscript.annex)) : new Uint8Array(0)
  m.weightLeft = tapscript.budget
  loadScript(m, script, KERNEL_VERSIONS[version])
  return m
}

export const stackOf = (m: Machine): ReadonlyArray<Uint8Array> => m.stack.slice(0, m.depth)
export const altStackOf = (m: Machine): ReadonlyArray<Uint8Array> => m.alt.slice(0, m.altDepth)

/** What the kernel's evaluation leaves, in the words of the oracle; the stack only where it succeeds. */
export const kernelEvaluation = (
  ...args: Parameters<typeof loadedMachine>
): { readonly error: string; readonly stack: ReadonlyArray<Uint8Array> } => {
  const m = loadedMachine(...args)
  const error = faultName(evaluateScript(m))
  return { error, stack: error === "OK" ? stackOf(m) : [] }
}
