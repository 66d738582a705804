import type { BlockTemplate } from "@lockstep/sdk"
import { expandTarget } from "@lockstep/kernel/work"
import { solvedBlock } from "../../../mining/solved-block.ts"
import { merkleBranch } from "../../../mining/merkle.ts"
import { EXTRANONCE_BYTES, type Job, type JobTemplate } from "../jobs.ts"
import type { MessageOf } from "../wire/messages.ts"
import { declaredCoinbase } from "./declared-coinbase.ts"
import { type KnownTransaction, type KnownTransactions, transactionFrom } from "./known-transactions.ts"

/** The reason for refusing a declaration. */
export interface Refusal {
  readonly code: string
  readonly details: string
}

/** A declaration with a valid coinbase and its known transactions. */
export interface Declaration {
  readonly message: MessageOf<"DeclareMiningJob">
  readonly template: BlockTemplate
  readonly coinbase: Job["coinbase"]
  readonly transactions: ReadonlyArray<KnownTransaction | undefined>
  /** Positions of the unknown transactions. */
  readonly missing: ReadonlyArray<number>
}

export const fieldRefusal = (field: string, details: string): Refusal => ({
  code: `invalid-job-param-value-${field}`,
  details
})

/** Reads a declaration before its transactions are checked. */
export const readDeclaration = (
  message: MessageOf<"DeclareMiningJob">,
  template: BlockTemplate,
  known: KnownTransactions
): Declaration | Refusal => {
  const { coinbase_tx_prefix: prefix, coinbase_tx_suffix: suffix, wtxid_list } = message
  const coinbase = declaredCoinbase({ prefix, suffix }, template.coinbase_script!)
  if (typeof coinbase === "string") {
    return fieldRefusal(
      coinbase,
      coinbase === "coinbase_tx_suffix"
        ? "the coinbase must pay everything to the first output of the token"
        : `this is no coinbase around ${EXTRANONCE_BYTES} bytes of extranonce`
    )
  }
  const ids = new Set(wtxid_list.map((each) => Buffer.from(each).toString("latin1")))
  if (ids.size !== wtxid_list.length) return fieldRefusal("wtxid_list", "a transaction is there twice")
  const transactions = wtxid_list.map((each) => known.find(each))
  const missing = transactions.flatMap((each, position) => each === undefined ? [position] : [])
  return { message, template, coinbase, transactions, missing }
}

/** Adds the missing transactions to a declaration. */
export const withProvided = (
  declaration: Declaration,
  provided: ReadonlyArray<Uint8Array>
): Declaration | Refusal => {
  const { message: { wtxid_list }, missing } = declaration
  if (provided.length !== missing.length) {
    return fieldRefusal("wtxid_list", `${missing.length} transactions are missing, and ${provided.length} came`)
  }
  const transactions = [...declaration.transactions]
  for (const [i, position] of missing.entries()) {
    const transaction = transactionFrom(new Uint8Array(provided[i]!))
    if (transaction === undefined || Buffer.compare(transaction.wtxid, wtxid_list[position]!) !== 0) {
      return fieldRefusal("wtxid_list", `the transaction ${position} that came has not this id`)
    }
    transactions[position] = transaction
  }
  return { ...declaration, transactions, missing: [] }
}

/** Returns the job of a declaration without missing transactions. */
export const declaredJob = ({ coinbase, message: { version }, template, transactions }: Declaration): Job => {
  const all = transactions as ReadonlyArray<KnownTransaction>
  const own: JobTemplate = { ...template, version, transactions: all }
  return {
    id: 0,
    template: own,
    coinbase,
    branch: merkleBranch(all.map(({ txid }) => txid)),
    target: expandTarget(template.bits)!
  }
}

/** Returns the block of a job as it is before any work. */
export const proposalOf = (job: Job): Uint8Array => {
  const { current_time, version } = job.template
  return solvedBlock(job, { extranonce: new Uint8Array(EXTRANONCE_BYTES), time: current_time, nonce: 0, version })
    .block()
}
