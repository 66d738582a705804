import type { Draft } from "./draft.ts"
import { addressOf, hostAndPort } from "./places-of.ts"

/** Options with `host[:port]`: the port has to be one, also where the value has no effect. */
const WITH_PORT = ["rpcbind", "torcontrol"]

const isOff = (text: string): boolean => text === "" || text === "0"

/** Refuses places that are none in options whose effect is elsewhere or none. */
export const checkPlaces = ({ args, problems }: Draft): void => {
  const isPlace = (option: string, text: string): boolean => {
    if (isOff(text) || hostAndPort(text) !== undefined) return true
    problems.push(`Invalid port specified in -${option}: '${text}'`)
    return false
  }
  for (const option of WITH_PORT) for (const text of args.list(option)) isPlace(option, text)
  const router = args.text("i2psam") ?? ""
  if (isOff(router) || !isPlace("i2psam", router)) return
  const host = hostAndPort(router)?.host
  if (host === undefined || addressOf(host) === undefined) {
    problems.push(`Invalid -i2psam address or hostname: '${router}'`)
  }
}
