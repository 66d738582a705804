import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { HostPort, NodeConfig } from "../../config/config.ts"
import { isLoopback } from "../../config/host-port.ts"

/** What a command shows a node, and what that is called in messages; `header` none: there is nothing to show. */
export interface Credentials {
  readonly header: string | undefined
  readonly called: string
}

const asBasic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString("base64")}`

const NONE: Credentials = { header: undefined, called: "no credentials at all" }

/** What a running node on this machine leaves for its own user. */
const cookieIn = (directory: string): Credentials => {
  const path = join(directory, ".cookie")
  try {
    return { header: asBasic(readFileSync(path, "utf8").trim()), called: `the cookie ${path}` }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return { ...NONE, called: `no credentials at all (there is no cookie ${path})` }
    return { ...NONE, called: `no credentials at all (the cookie ${path} cannot be read: ${code ?? "unknown"}; be the user who runs the node)` }
  }
}

/** The strongest credentials there are for a node at `address`: a command may need an administrator. */
export const credentialsFor = ({ dataDirectory, file, rpc }: NodeConfig, address: HostPort): Credentials => {
  const { adminTokens, basic, tokens } = rpc.credentials
  const from = file === undefined ? "the configuration" : file
  if (adminTokens[0] !== undefined) return { header: `Bearer ${adminTokens[0]}`, called: `the admin token of ${from}` }
  if (basic !== undefined) return { header: asBasic(`${basic.username}:${basic.password}`), called: `name and password of ${from}` }
  const cookie = isLoopback(address) ? cookieIn(dataDirectory) : NONE
  if (cookie.header !== undefined || tokens[0] === undefined) return cookie
  return { header: `Bearer ${tokens[0]}`, called: "the token of an ordinary user" }
}
