/**
 * Stage of the sync. The names and transitions are the contract's, with one addition: the node is no longer synced once
 * a peer shows a much longer chain.
 */
export type SyncStage = "Initial" | "Headers" | "Blocks" | "Synced" | "Error"

/** Causes of a transition. */
export type SyncTrigger = "begin" | "headers complete" | "blocks complete" | "blocks missing" | "failure" | "recovery"

const WAYS: Readonly<Record<SyncStage, Partial<Record<SyncTrigger, SyncStage>>>> = {
  Initial: { begin: "Headers", failure: "Error" },
  Headers: { "headers complete": "Blocks", failure: "Error" },
  Blocks: { "blocks complete": "Synced", failure: "Error" },
  Synced: { "blocks missing": "Blocks", failure: "Error" },
  Error: { recovery: "Initial" }
}

/** Returns the stage after a trigger, or `undefined` if the trigger has no effect at this stage. */
export const nextStage = (stage: SyncStage, trigger: SyncTrigger): SyncStage | undefined => WAYS[stage][trigger]

/** Percent of the whole sync at the end of a stage, as the contract reports it. */
const DONE_AFTER_HEADERS = 30
const DONE_AFTER_BLOCKS = 60

/** Returns the percent of the whole sync; `part` is the share of the current stage that is done, from 0 to 1. */
export const syncPercent = (stage: SyncStage, part: number): number => {
  switch (stage) {
    case "Initial":
    case "Error":
      return 0
    case "Headers":
      return DONE_AFTER_HEADERS * part
    case "Blocks":
      return DONE_AFTER_HEADERS + (DONE_AFTER_BLOCKS - DONE_AFTER_HEADERS) * part
    case "Synced":
      return 100
  }
}
