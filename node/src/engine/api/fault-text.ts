import type { EngineFault, SpaceLimit } from "./engine-error.ts"
import { MEBIBYTE } from "../../units.ts"

/** The warning while writing waits for disk space, and the text before the cause. */
export const DISK_FULL = "The disk is full: nothing is written until there is space again"

/** The log message when an invalid chain has far more work than the active one, in Bitcoin Core's words. */
export const INVALID_CHAIN_FOUND = "Found invalid chain more than 6 blocks longer than our best chain. " +
  "This could be due to database corruption or consensus incompatibility with peers."

export const INVALID_CHAIN_IS_OVER = "No invalid chain is more than 6 blocks longer than the best chain any more"

/** The warning for the same condition (Core: `LARGE_WORK_INVALID_CHAIN`). */
export const LARGE_INVALID_CHAIN = `Warning: ${INVALID_CHAIN_FOUND}`

export const lowSpaceText = ({ directory, minimumFreeBytes }: SpaceLimit): string =>
  `Less than ${Math.round(minimumFreeBytes / MEBIBYTE)} MiB are free in ${directory}: ` +
  "nothing is written until there is more"

/** Describes a fault in one sentence, for operators and clients. */
export const engineFaultText = (fault: EngineFault): string => {
  switch (fault._tag) {
    case "Closing":
      return "The node is stopping"
    case "Broken":
      return fault.cause
    case "DiskFull":
      return `${DISK_FULL}. ${fault.cause}`
    case "LowSpace":
      return lowSpaceText(fault)
    case "StorageFailed":
    case "ScriptWorkerFailed":
      return fault.message
    case "Defect":
      return "Internal error"
  }
}
