import { createMachine, type Machine } from "@lockstep/kernel/machine"
import { type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import type { FeeRate, ReplacementTerms } from "@lockstep/kernel/relay"
import type { Hash } from "@lockstep/kernel/quantities"
import type { MempoolContext } from "../contract.ts"
import { type Fork, type UnconfirmedScripts, unconfirmedScripts } from "../verify-unconfirmed.ts"
import { type ReplacementHistory, replacementHistory } from "./replacement-history.ts"

/** What acceptance works with. */
export interface Rig extends MempoolContext {
  /** For scripts that are judged in this thread. */
  readonly machine: Machine
  /** For those that workers verify. */
  readonly scripts: UnconfirmedScripts
  readonly terms: ReplacementTerms
  readonly history: ReplacementHistory
}

export const makeRig = (context: MempoolContext, fork: Fork): Rig => {
  const { engine, settings: { terms } } = context
  return {
    ...context,
    machine: createMachine(engine.crypto),
    scripts: unconfirmedScripts(engine, fork),
    terms,
    history: replacementHistory(terms)
  }
}

/** A transaction with its ids. */
export interface Subject {
  readonly tx: Transaction
  readonly txid: Hash
  readonly wtxid: Hash
}

export const subjectOf = ({ engine: { crypto } }: Rig, tx: Transaction): Subject => {
  const txid = transactionId(tx, crypto)
  return { tx, txid, wtxid: tx.hasWitness ? witnessTransactionId(tx, crypto) : txid }
}

/** How a transaction comes in. */
export interface Manner {
  /** Nothing is asked for what a block had already confirmed: fees, topology, dust of parents. */
  readonly bypassLimits: boolean
  /** Whether the fee of its package is judged instead of its own. */
  readonly packageFees: boolean
  readonly mayReplace: boolean
  readonly mayEvictSibling: boolean
  /** The sender's ceiling; none: there is none. */
  readonly maxFeerate: FeeRate | undefined
}

/** Of a transaction by itself. */
export const singly = ({ terms }: Rig, bypassLimits = false, maxFeerate?: FeeRate): Manner => ({
  bypassLimits,
  packageFees: false,
  mayReplace: terms.allowed,
  mayEvictSibling: terms.allowed,
  maxFeerate
})
