/** Work on the chain of a node that is not running. */
export type MaintenanceTask =
  /** Accepts the blocks of these files, in any order of blocks. */
  | { readonly _tag: "Import"; readonly files: ReadonlyArray<string> }
  /** Makes coins and indexes again from the block files that are there. */
  | { readonly _tag: "Rebuild" }
  /** Levels 0 to 4; `blocks` 0: all. */
  | { readonly _tag: "Verify"; readonly level: number; readonly blocks: number }

/** How far a task has come; `total` 0: unknown. */
export interface MaintenanceProgress {
  readonly task: string
  readonly done: number
  readonly total: number
}
