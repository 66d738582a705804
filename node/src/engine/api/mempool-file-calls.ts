import type { Call } from "./call.ts"

/** What is taken from a file of a mempool. */
export interface ImportChoice {
  /** Whether transactions enter as if they came now, and not when the file says. */
  readonly usesCurrentTime: boolean
  /** Whether the amounts by which an operator changed fees are added to those of this mempool. */
  readonly appliesDeltas: boolean
  readonly appliesUnbroadcast: boolean
}

/** Calls about `mempool.dat`. */
export interface MempoolFileCalls {
  /** Saves the mempool; answers the file. */
  readonly saveMempool: Call<void, { readonly file: string }, "MempoolNotLoaded" | "MempoolNotSaved">
  readonly importMempool: Call<
    ImportChoice & { readonly file: string },
    void,
    "InInitialDownload" | "MempoolNotImported"
  >
}
