import type { Height, Sats } from "@lockstep/kernel/quantities"
import type { Call } from "./call.ts"

/** A page of a list. */
export interface Part {
  readonly offset: number
  readonly limit: number
}

/** An unspent output. Its value is in satoshis. */
export interface UnspentOutput {
  readonly txid: Uint8Array
  readonly vout: number
  readonly value: Sats
  readonly isCoinbase: boolean
  /** Height of its block; `undefined` if it is in the mempool. */
  readonly height: Height | undefined
}

/** A page of the requested unspent outputs; those of the chain come first. */
export interface UnspentOutputs {
  readonly tipHeight: Height
  readonly total: number
  readonly outputs: ReadonlyArray<UnspentOutput>
}

/** Sums over the transactions that pay to a script or spend from it. Amounts in satoshis. */
export interface ScriptSums {
  readonly received: bigint
  readonly sent: bigint
  readonly transactions: number
}

/** Summary of a script. */
export interface ScriptSummary {
  readonly tipHeight: Height
  readonly confirmed: ScriptSums
  /** Sum of values and number of the outputs that no block spends. */
  readonly balance: bigint
  readonly unspent: number
  readonly unconfirmed: ScriptSums
}

/** A transaction that pays to a script or spends from it, with the amounts of that script. */
export interface ScriptTransaction {
  readonly txid: Uint8Array
  readonly received: bigint
  readonly sent: bigint
  /** `undefined` if it is in the mempool. */
  readonly block: { readonly height: Height; readonly hash: Uint8Array } | undefined
}

/** A page of the transactions of a script: those of the mempool first, then those of the chain from the newest. */
export interface ScriptTransactions {
  readonly tipHeight: Height
  readonly total: number
  readonly transactions: ReadonlyArray<ScriptTransaction>
}

/** Queries of outputs. Each answer is of one moment: one tip, and the mempool on it. */
export interface OutputCalls {
  readonly scriptSummary: Call<
    { readonly script: Uint8Array },
    ScriptSummary,
    "IndexNotEnabled" | "IndexNotSynced"
  >
  readonly scriptTransactions: Call<
    { readonly script: Uint8Array; readonly part: Part },
    ScriptTransactions,
    "IndexNotEnabled" | "IndexNotSynced"
  >
  /** If the mempool is included, its outputs are part of the answer and the outputs that it spends are not. */
  readonly scriptOutputs: Call<
    { readonly script: Uint8Array; readonly part: Part; readonly withMempool: boolean },
    UnspentOutputs,
    "IndexNotEnabled" | "IndexNotSynced"
  >
  /** Lists outputs with values between two bounds, both included, in satoshis. */
  readonly outputsOfValue: Call<
    { readonly least: bigint; readonly most: bigint; readonly part: Part; readonly withMempool: boolean },
    UnspentOutputs,
    "IndexNotEnabled" | "IndexNotSynced"
  >
}
