import type { PlanDraft } from "./draft.ts"
import { reachableAddress, splitHostAndPort } from "./places-of.ts"

/** Options of the form `host[:port]`. Their port must be valid even if the value has no effect. */
const WITH_PORT = ["rpcbind", "torcontrol", "i2psam"]

/** Rejects invalid endpoints in options that take effect elsewhere or not at all. */
export const checkPlaces = ({ args, problems }: PlanDraft): void => {
  for (const option of WITH_PORT) {
    for (const text of args.list(option)) {
      if (splitHostAndPort(text) === undefined) problems.push(`Invalid port specified in -${option}: '${text}'`)
    }
  }
  // A negated option is the text 0 in Bitcoin Core, which is no address.
  const router = args.text("i2psam") ?? ""
  const host = splitHostAndPort(router)?.host
  if (router !== "" && host !== undefined && reachableAddress(host) === undefined) {
    problems.push(`Invalid -i2psam address or hostname: '${router}'`)
  }
}
