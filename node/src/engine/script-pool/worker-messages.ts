/** What a script worker is started with. */
export interface WorkerStart {
  /** None: the fastest there is. */
  readonly provider: string | undefined
  readonly control: Int32Array<SharedArrayBuffer>
}

/** Words that the pool and all its workers share. */
export const Control = {
  /** Counted up whenever there may be something to do: workers sleep on it. */
  SIGNAL: 0,
  /** Not zero: workers end. */
  STOP: 1,
  /** Not zero: the pool has been notified that a block is finished, and has not looked yet. */
  MESSAGES: 2,
  SIZE: 4
} as const

/** The messages of a worker to the pool. */
export type WorkerMessage =
  | { readonly _tag: "Ready"; readonly provider: string }
  | { readonly _tag: "Refused"; readonly message: string }
  /** Some block is finished; its memory says which. */
  | { readonly _tag: "Finished" }
  /** The kernel threw: a defect, met in the block of that order number. */
  | { readonly _tag: "Defect"; readonly order: number; readonly message: string }
