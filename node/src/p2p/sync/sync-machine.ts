/**
 * How far the node has come with the chain; the names and the ways between them are the contract's. One way is more:
 * the node is not synced any longer once a peer shows a chain that goes much further.
 */
export type SyncStage = "Initial" | "Headers" | "Blocks" | "Synced" | "Error"

/** What makes the stage another. */
export type SyncTrigger = "begin" | "headers complete" | "blocks complete" | "blocks missing" | "failure" | "recovery"

const WAYS: Readonly<Record<SyncStage, Partial<Record<SyncTrigger, SyncStage>>>> = {
  Initial: { begin: "Headers", failure: "Error" },
  Headers: { "headers complete": "Blocks", failure: "Error" },
  Blocks: { "blocks complete": "Synced", failure: "Error" },
  Synced: { "blocks missing": "Blocks", failure: "Error" },
  Error: { recovery: "Initial" }
}

/** Where a trigger leads; none: it means nothing at this stage. */
export const nextStage = (stage: SyncStage, trigger: SyncTrigger): SyncStage | undefined => WAYS[stage][trigger]

/** What has been done when a stage is over, in percent of the whole sync, as the contract reports it. */
const DONE_AFTER_HEADERS = 30
const DONE_AFTER_BLOCKS = 60

/** Percent of the whole; `part` is how much of the present stage is done, 0 to 1. */
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
