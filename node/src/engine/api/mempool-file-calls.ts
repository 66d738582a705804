import type { Call } from "./call.ts"

/** Options of an import from a mempool file. */
export interface ImportChoice {
  /** True if transactions enter with the current time instead of the time in the file. */
  readonly usesCurrentTime: boolean
  /** True if the fee deltas of the file are added to those of this mempool. */
  readonly appliesDeltas: boolean
  readonly appliesUnbroadcast: boolean
}

/** Calls about `mempool.dat`. */
export interface MempoolFileCalls {
  /** Saves the mempool and returns the path of the file. */
  readonly saveMempool: Call<void, { readonly file: string }, "MempoolNotLoaded" | "MempoolNotSaved">
  readonly importMempool: Call<
    ImportChoice & { readonly file: string },
    void,
    "InInitialDownload" | "MempoolNotImported"
  >
}
