import { DEPLOYMENT_NAMES } from "@lockstep/protocol/networks/activation-heights.ts"
import type { PlanDraft } from "./draft.ts"
import { numberGiven } from "./draft.ts"

const EXPECTED = "for -testactivationheight=name@height."

const LATEST = 0xff_ff_ff_ff

/** Returns the heights of `-testactivationheight` that count. Chains other than regtest have fixed heights. */
const heightsOf = ({ args, chain, notices, problems }: PlanDraft): ReadonlyArray<string> => {
  const heights = args.list("testactivationheight")
  if (chain === "regtest" || heights.length === 0) return heights
  if (chain === "main") problems.push("The -testactivationheight option may not be used on mainnet.")
  else notices.push("-testactivationheight has no effect: it is about regtest alone")
  return []
}

/** Plans changes to the chain and the clock for tests. */
export const planRegtest = (draft: PlanDraft): void => {
  const { chain, problems, values } = draft
  for (const text of heightsOf(draft)) {
    const at = text.indexOf("@")
    const [name, digits] = at < 0 ? ["", ""] : [text.slice(0, at), text.slice(at + 1)]
    const height = /^\d{1,10}$/.test(digits) ? Number(digits) : LATEST
    if (at < 0) problems.push(`Invalid format (${text}) ${EXPECTED}`)
    else if (height >= 0x7f_ff_ff_ff) problems.push(`Invalid height value (${text}) ${EXPECTED}`)
    else if (!DEPLOYMENT_NAMES.some((known) => known === name)) problems.push(`Invalid name (${text}) ${EXPECTED}`)
    else values.set(`regtest.activation_heights.${name}`, height)
  }
  const time = numberGiven(draft, "mocktime", 0)
  if (time === 0) return
  if (chain !== "regtest") problems.push("-mocktime can only be used with regtest")
  else if (time < 0 || time > LATEST) problems.push(`-mocktime must be between 0 and ${LATEST}`)
  else values.set("regtest.mock_time", time)
}
