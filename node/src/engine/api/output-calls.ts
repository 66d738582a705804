import type { Height, Sats } from "@lockstep/kernel/quantities"
import type { Call } from "./call.ts"

/** A part of a list. */
export interface Part {
  readonly offset: number
  readonly limit: number
}

/** An output that nothing spends. Value in satoshis. */
export interface UnspentOutput {
  readonly txid: Uint8Array
  readonly vout: number
  readonly value: Sats
  readonly isCoinbase: boolean
  /** Of its block; none: it is in the mempool. */
  readonly height: Height | undefined
}

/** A part of the unspent outputs that were asked for: those of the chain first. */
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

/** All that a script has. */
export interface ScriptSummary {
  readonly tipHeight: Height
  readonly confirmed: ScriptSums
  /** Values and number of the outputs that no block spends. */
  readonly balance: bigint
  readonly unspent: number
  readonly unconfirmed: ScriptSums
}

/** A transaction that pays to a script or spends from it, with what it moves of that script. */
export interface ScriptTransaction {
  readonly txid: Uint8Array
  readonly received: bigint
  readonly sent: bigint
  /** None: it is in the mempool. */
  readonly block: { readonly height: Height; readonly hash: Uint8Array } | undefined
}

/** A part of the transactions of a script: those of the mempool first, then the newest of the chain. */
export interface ScriptTransactions {
  readonly tipHeight: Height
  readonly total: number
  readonly transactions: ReadonlyArray<ScriptTransaction>
}

/** Each answer is of one moment: one tip, and the mempool as it was with it. */
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
  /** With the mempool, its outputs are there, and what it spends is not. */
  readonly scriptOutputs: Call<
    { readonly script: Uint8Array; readonly part: Part; readonly withMempool: boolean },
    UnspentOutputs,
    "IndexNotEnabled" | "IndexNotSynced"
  >
  /** Both bounds included, in satoshis. */
  readonly outputsOfValue: Call<
    { readonly least: bigint; readonly most: bigint; readonly part: Part; readonly withMempool: boolean },
    UnspentOutputs,
    "IndexNotEnabled" | "IndexNotSynced"
  >
}
