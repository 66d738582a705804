/** Work on the chain of a node that is not running. */
export type MaintenanceTask =
  /** Imports the blocks of these files, which may be in any order. */
  | { readonly _tag: "Import"; readonly files: ReadonlyArray<string> }
  /** Rebuilds coins and indexes from the existing block files. */
  | { readonly _tag: "Rebuild" }
  /** Verifies the chain at a level from 0 to 4; `blocks` is 0 for all. */
  | { readonly _tag: "Verify"; readonly level: number; readonly blocks: number }

/** Progress of a task; `total` is 0 if unknown. */
export interface MaintenanceProgress {
  readonly task: string
  readonly done: number
  readonly total: number
}
