/** Start parameters of a script worker. */
export interface WorkerStart {
  /** `undefined` for the fastest available. */
  readonly provider: string | undefined
  readonly control: Int32Array<SharedArrayBuffer>
}

/** Words that the pool and all its workers share. */
export const Control = {
  /** Incremented whenever there may be work: idle workers sleep on it. */
  SIGNAL: 0,
  /** Non-zero if workers should end. */
  STOP: 1,
  /** Non-zero if the pool was notified that a block is finished and has not handled it yet. */
  MESSAGES: 2,
  SIZE: 4
} as const

/** The messages of a worker to the pool. */
export type WorkerMessage =
  | { readonly _tag: "Ready"; readonly provider: string }
  | { readonly _tag: "Refused"; readonly message: string }
  /** A block is finished; its memory shows which one. */
  | { readonly _tag: "Finished" }
  /** The kernel threw while it verified the block with this order number. An internal error. */
  | { readonly _tag: "Defect"; readonly order: number; readonly message: string }
