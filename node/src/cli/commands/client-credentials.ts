import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fsPath } from "../../bytes/byte-path.ts"
import { bytesOfText, textOfBytes } from "../../bytes/byte-text.ts"
import type { HostPort, NodeConfig } from "../../config/config.ts"
import { isLoopback } from "../../config/loopback.ts"
import { methodWhitelist } from "../../http/auth/method-whitelist.ts"

/** The credentials that a command sends, and their name in messages; `header` is `undefined` without credentials. */
export interface Credentials {
  readonly header: string | undefined
  readonly called: string
}

const asBasic = (credentials: string): string => `Basic ${bytesOfText(credentials).toString("base64")}`

const NONE: Credentials = { header: undefined, called: "no credentials at all" }

/** Reads the cookie that a running node on this machine writes for its own user. */
const cookieIn = (directory: string): Credentials => {
  const path = join(directory, ".cookie")
  try {
    return { header: asBasic(textOfBytes(readFileSync(fsPath(path))).trim()), called: `the cookie ${path}` }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") {
      return { ...NONE, called: `no credentials at all (there is no cookie ${path})` }
    }
    return {
      ...NONE,
      called: `no credentials at all (the cookie ${path} cannot be read: ${
        code ?? "unknown"
      }; be the user who runs the node)`
    }
  }
}

/** The part of the configuration that a call needs. */
export type ClientTarget = Pick<NodeConfig, "dataDirectory" | "file"> & {
  readonly rpc: Pick<NodeConfig["rpc"], "bind" | "credentials">
}

const bearer = (token: string | undefined, called: string): ReadonlyArray<Credentials> =>
  token === undefined ? [] : [{ header: `Bearer ${token}`, called }]

/** Returns the administrators' credentials in the configuration. */
const administrators = (
  { file = "the configuration", rpc: { credentials: { adminTokens, basic } } }: ClientTarget
): ReadonlyArray<Credentials> => [
  ...bearer(adminTokens[0], `the admin token of ${file}`),
  ...basic === undefined
    ? []
    : [{ header: asBasic(`${basic.username}:${basic.password}`), called: `name and password of ${file}` }]
]

/**
 * Returns the credentials with the highest privilege for a node at `address`: a command may need an administrator.
 * Those that a whitelist restricts come last.
 */
export const credentialsFor = (config: ClientTarget, address: HostPort): Credentials => {
  const { credentials } = config.rpc
  const cookie = isLoopback(address) ? cookieIn(config.dataDirectory) : NONE
  const shown = [
    ...administrators(config).map((each) => ({ each, caller: "admin" as const })),
    ...cookie.header === undefined ? [] : [{ each: cookie, caller: "admin" as const }],
    ...bearer(credentials.tokens[0], "the token of an ordinary user").map((each) => ({
      each,
      caller: "normal" as const
    }))
  ]
  const mayCall = methodWhitelist(credentials)
  const free = shown.find(({ caller, each }) => mayCall({ caller, authorization: each.header }, undefined))
  return (free ?? shown[0])?.each ?? cookie
}
