import type { DeploymentTimes } from "@lockstep/protocol/networks/network.ts"
import type { PlanDraft } from "./draft.ts"

const INTEGER = /^-?\d+$/

/** Core's `NO_TIMEOUT`, the largest signed 64-bit integer. */
const NO_TIMEOUT = 2n ** 63n - 1n
const MOST_HEIGHT = 2n ** 31n - 1n

/** Returns a whole number from `-most - 1` to `most`, or `undefined` if the text is no such number. */
const integerWithin = (text: string, most: bigint): bigint | undefined => {
  const value = INTEGER.test(text) ? BigInt(text) : undefined
  return value === undefined || value > most || value < -most - 1n ? undefined : value
}

const MALFORMED = "Version bits parameters malformed, expecting deployment:start:end[:min_activation_height]"

const timeOf = (text: string): number | undefined => {
  const time = integerWithin(text, NO_TIMEOUT)
  return time === undefined ? undefined : time === NO_TIMEOUT ? Infinity : Number(time)
}

/** Plans the activation of the test deployment by `-vbparams`. */
export const planDeployments = ({ args, chain, notices, problems }: PlanDraft): DeploymentTimes | undefined => {
  const given = args.list("vbparams")
  if (given.length > 0 && chain !== "regtest") {
    if (chain === "main") problems.push("The -vbparams option may not be used on mainnet.")
    else notices.push("-vbparams has no effect: it is about regtest alone")
    return undefined
  }
  let found: DeploymentTimes | undefined
  for (const text of given) {
    const [name, start = "", end, height = "0", ...more] = text.split(":")
    const [startTime, timeout] = [timeOf(start), timeOf(end ?? "")]
    const least = integerWithin(height, MOST_HEIGHT)
    if (end === undefined || more.length > 0) problems.push(MALFORMED)
    else if (startTime === undefined) problems.push(`Invalid nStartTime (${start})`)
    else if (timeout === undefined) problems.push(`Invalid nTimeout (${end})`)
    else if (least === undefined) problems.push(`Invalid min_activation_height (${height})`)
    else if (name === "testdummy") found = { startTime, timeout, minActivationHeight: Number(least) }
    else if (name === "taproot") notices.push(`-vbparams=${text} has no effect of its own: taproot is always active`)
    else problems.push(`Invalid deployment (${name})`)
  }
  return found
}
