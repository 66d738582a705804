import { createMachine, type Machine } from "@lockstep/kernel/machine"
import { type Transaction, transactionId, witnessTransactionId } from "@lockstep/kernel/model"
import type { FeeRate, ReplacementTerms } from "@lockstep/kernel/relay"
import type { Hash } from "@lockstep/kernel/quantities"
import type { MempoolContext } from "../contract.ts"
import { type Fork, type UnconfirmedScripts, unconfirmedScripts } from "../verify-unconfirmed.ts"
import { type ReplacementHistory, replacementHistory } from "./replacement-history.ts"

/** The dependencies of acceptance. */
export interface Rig extends MempoolContext {
  /** Runs scripts in this thread. */
  readonly machine: Machine
  /** Verifies scripts in workers. */
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

/** Conditions under which a transaction is accepted. */
export interface Manner {
  /** True for a transaction from a block that was disconnected: fees, topology and dust of parents are not checked. */
  readonly bypassLimits: boolean
  /** True if the fee of its package is judged instead of its own. */
  readonly packageFees: boolean
  readonly mayReplace: boolean
  readonly mayEvictSibling: boolean
  /** The highest feerate that the sender allows; `undefined` without a limit. */
  readonly maxFeerate: FeeRate | undefined
}

/** Conditions for a single transaction. */
export const singly = ({ terms }: Rig, bypassLimits = false, maxFeerate?: FeeRate): Manner => ({
  bypassLimits,
  packageFees: false,
  mayReplace: terms.allowed,
  mayEvictSibling: terms.allowed,
  maxFeerate
})
