import type { EngineFault, SpaceLimit } from "./engine-error.ts"

const MEBIBYTE = 1_048_576

/** The warning while writing waits for space, and the text before the cause. */
export const DISK_FULL = "The disk is full: nothing is written until there is space again"

export const lowSpaceText = ({ directory, minimumFreeBytes }: SpaceLimit): string =>
  `Less than ${Math.round(minimumFreeBytes / MEBIBYTE)} MiB are free in ${directory}: ` +
  "nothing is written until there is more"

/** A fault in a sentence, for operators as for clients. */
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
