import type { PlanDraft } from "./draft.ts"
import { socketAddressOf, splitHostAndPort } from "./places-of.ts"

/** Options with `host[:port]`: the port has to be one, also where the value has no effect. */
const WITH_PORT = ["rpcbind", "torcontrol"]

const isOff = (text: string): boolean => text === "" || text === "0"

/** Refuses places that are none in options whose effect is elsewhere or none. */
export const checkPlaces = ({ args, problems }: PlanDraft): void => {
  const isPlace = (option: string, text: string): boolean => {
    if (isOff(text) || splitHostAndPort(text) !== undefined) return true
    problems.push(`Invalid port specified in -${option}: '${text}'`)
    return false
  }
  for (const option of WITH_PORT) for (const text of args.list(option)) isPlace(option, text)
  const router = args.text("i2psam") ?? ""
  if (isOff(router) || !isPlace("i2psam", router)) return
  const host = splitHostAndPort(router)?.host
  if (host === undefined || socketAddressOf(host) === undefined) {
    problems.push(`Invalid -i2psam address or hostname: '${router}'`)
  }
}
