import { settingName, settingTo } from "../../../front/setting-name.ts"

const PLACE = settingName("--listen-addr")

/** Remedy if another program listens on the endpoint. */
export const PLACE_TAKEN = `another program listens there: stop it, choose another address with ${PLACE}, or set ${
  settingTo("[connections].listen", false)
}`

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: PLACE_TAKEN,
  EADDRNOTAVAIL: `this machine has no such address: choose another one with ${PLACE}`,
  EACCES: `this user may not listen there: choose a port above 1023 with ${PLACE}`,
  EAFNOSUPPORT: `this machine does not have that kind of address: choose another one with ${PLACE}`
}

/**
 * Returns the reason and the remedy if listening fails, by the system's error code; `undefined` for an unknown code.
 */
export const listenReason = (code: string | undefined): string | undefined => REASONS[code ?? ""]
