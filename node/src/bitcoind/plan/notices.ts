import { isAbsolute } from "node:path"
import type { CoreOption } from "../options/core-option.ts"
import type { PlanDraft } from "./draft.ts"

/** Returns the values of an option that ask for some behaviour. */
const asking = ({ args }: PlanDraft, { inert = [], list = false, name }: CoreOption): ReadonlyArray<string> => {
  const one = args.text(name)
  const given = list ? args.list(name) : one === undefined ? [] : [one]
  return given.filter((text) => !inert.includes(text))
}

/** Adds a notice for each option that is not fully implemented, so that no option is ignored silently. */
export const noticeOptions = (draft: PlanDraft, options: ReadonlyArray<CoreOption>): void => {
  for (const option of options) {
    if (option.state === "implemented") continue
    const values = asking(draft, option)
    if (values.length === 0) continue
    if (option.warns === true) draft.warnings.push(option.note!)
    else {
      for (const value of values) {
        const shown = option.sensitive === true ? "****" : value
        draft.notices.push(`-${option.name}=${shown} has no effect of its own: ${option.note}`)
      }
    }
  }
}

/** Warns of a relative data directory, which depends on the directory in which the program is started. */
export const noticeRelativeDirectory = ({ args, notices, place }: PlanDraft): void => {
  const given = args.text("datadir")
  if (given === undefined || isAbsolute(given)) return
  notices.push(
    `Relative datadir option '${given}' specified, which will be interpreted relative to the current working directory '${place.directory}'. ` +
      "This is fragile, because if bitcoin is started in the future from a different location, it will be unable to locate the current data files. " +
      "There could also be data loss if bitcoin is started while in a temporary directory."
  )
}
