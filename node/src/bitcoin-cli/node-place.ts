import { readFileSync } from "node:fs"
import { fsPath } from "../bytes/byte-path.ts"
import { textOfBytes } from "../bytes/byte-text.ts"
import { CHAINS } from "../bitcoind/args/chain-choice.ts"
import { pathOf, under } from "../bitcoind/args/directories.ts"
import { splitHostAndPort, portOf } from "../bitcoind/plan/places-of.ts"
import type { HostPort } from "../config/config.ts"
import type { ClientArguments } from "./client-arguments.ts"
import { failClient } from "./client-failure.ts"

/** Endpoint of the node that the options choose, and the warning for standard error. */
export interface NodePlace extends HostPort {
  readonly warning: string | undefined
}

export const nodePlace = ({ args, chain }: Pick<ClientArguments, "args" | "chain">): NodePlace => {
  const text = args.text("rpcconnect") ?? "127.0.0.1"
  const { host, port: inText } = splitHostAndPort(text) ?? failClient(`Invalid port provided in -rpcconnect: ${text}`)
  const portText = args.text("rpcport")
  if (portText === undefined) return { host, port: inText ?? CHAINS[chain].rpc.port, warning: undefined }
  const port = portOf(portText) ?? failClient(`Invalid port provided in -rpcport: ${portText}`)
  return {
    host,
    port,
    warning: inText === undefined
      ? undefined
      : `Warning: Port specified in both -rpcconnect and -rpcport. Using -rpcport ${port}`
  }
}

/** Credentials that the client sends, and the reason why the node may refuse them. */
export interface Shown {
  /** User name and password, separated by a colon; `undefined` without credentials. */
  readonly credentials: string | undefined
  readonly refusal: string
}

/** Returns the credentials of the options, or else those of the cookie, which a node renews at each start. */
export const shownCredentials = (
  { args, directory }: Pick<ClientArguments, "args" | "directory">,
  typedPassword: string | undefined
): Shown => {
  const password = typedPassword ?? args.text("rpcpassword") ?? ""
  if (password !== "") {
    return {
      credentials: `${args.text("rpcuser") ?? ""}:${password}`,
      refusal: "Incorrect rpcuser or rpcpassword were specified."
    }
  }
  if (args.isNegated("rpccookiefile")) {
    return {
      credentials: undefined,
      refusal: "Cookie file was disabled via -norpccookiefile and no rpcpassword was specified."
    }
  }
  try {
    const path = under(directory, pathOf(args.value("rpccookiefile")) ?? ".cookie")
    const [line = ""] = textOfBytes(readFileSync(fsPath(path))).split("\n")
    return {
      credentials: line,
      refusal: "Cookie file credentials were invalid and no rpcpassword was specified."
    }
  } catch {
    return {
      credentials: undefined,
      refusal: "Failed to read cookie file and no rpcpassword was specified."
    }
  }
}
