import { settingName, settingTo } from "../../../front/setting-name.ts"

const PLACE = settingName("--listen-addr")

/** What to do where another program has the place. */
export const PLACE_TAKEN = `another program listens there: stop it, choose another address with ${PLACE}, or set ${
  settingTo("[connections].listen", false)
}`

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: PLACE_TAKEN,
  EADDRNOTAVAIL: `this machine has no such address: choose another one with ${PLACE}`,
  EACCES: `this user may not listen there: choose a port above 1023 with ${PLACE}`,
  EAFNOSUPPORT: `this machine does not have that kind of address: choose another one with ${PLACE}`
}

/** Why a place cannot be listened on, and what to do, by the system's code of the error. */
export const listenReason = (code: string | undefined): string | undefined => REASONS[code ?? ""]
