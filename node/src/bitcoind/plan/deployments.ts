import type { DeploymentTimes } from "@lockstep/protocol/networks/network.ts"
import type { PlanDraft } from "./draft.ts"

const INTEGER = /^-?\d{1,18}$/

/** Core's `NO_TIMEOUT`, the largest number of 64 bits. */
const NO_TIMEOUT = "9223372036854775807"

const MALFORMED = "Version bits parameters malformed, expecting deployment:start:end[:min_activation_height]"

const timeOf = (text: string): number | undefined =>
  text === NO_TIMEOUT ? Infinity : INTEGER.test(text) ? Number(text) : undefined

/** When the deployment for tests activates, as `-vbparams` says. */
export const planDeployments = ({ args, chain, notices, problems }: PlanDraft): DeploymentTimes | undefined => {
  const given = args.list("vbparams")
  if (given.length > 0 && chain !== "regtest") {
    problems.push(
      chain === "main" ? "The -vbparams option may not be used on mainnet." : "-vbparams can only be used with regtest"
    )
  }
  let found: DeploymentTimes | undefined
  for (const text of given) {
    const [name, start = "", end = "", height = "0", ...more] = text.split(":")
    const [startTime, timeout] = [timeOf(start), timeOf(end)]
    if (end === "" || more.length > 0) problems.push(MALFORMED)
    else if (startTime === undefined) problems.push(`Invalid nStartTime (${start})`)
    else if (timeout === undefined) problems.push(`Invalid nTimeout (${end})`)
    else if (!INTEGER.test(height)) problems.push(`Invalid min_activation_height (${height})`)
    else if (name === "testdummy") found = { startTime, timeout, minActivationHeight: Number(height) }
    else if (name === "taproot") notices.push(`-vbparams=${text} has no effect of its own: taproot is always active`)
    else problems.push(`Invalid deployment (${name})`)
  }
  return found
}
