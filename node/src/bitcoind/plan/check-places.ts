import type { PlanDraft } from "./draft.ts"
import { reachableAddress, splitHostAndPort } from "./places-of.ts"

/** Options with `host[:port]`: the port has to be one, also where the value has no effect. */
const WITH_PORT = ["rpcbind", "torcontrol", "i2psam"]

/** Refuses places that are none in options whose effect is elsewhere or none. */
export const checkPlaces = ({ args, problems }: PlanDraft): void => {
  for (const option of WITH_PORT) {
    for (const text of args.list(option)) {
      if (splitHostAndPort(text) === undefined) problems.push(`Invalid port specified in -${option}: '${text}'`)
    }
  }
  // A negated one is the text 0 there, which is no router.
  const router = args.text("i2psam") ?? ""
  const host = splitHostAndPort(router)?.host
  if (router !== "" && host !== undefined && reachableAddress(host) === undefined) {
    problems.push(`Invalid -i2psam address or hostname: '${router}'`)
  }
}
