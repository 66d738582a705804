import type { MethodFacts } from "../definition/method-facts.ts"

/** Returns an example as a command, with the port of a test network. */
export const exampleCommand = ({ name, privilege }: MethodFacts, params: ReadonlyArray<unknown>): string => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params })
  const credentials = privilege === "admin" ? " -H 'authorization: Bearer <TOKEN>'" : ""
  return `curl -H 'content-type: application/json'${credentials} --data-binary '${body}' http://127.0.0.1:18443/`
}

const typed = (value: unknown): string => {
  const json = JSON.stringify(value)
  return typeof value === "object" && value !== null ? `'${json}'` : json
}

/** Returns an example as commands for `bitcoind`, which has no tokens but its own client. */
export const standInCommands = ({ name }: MethodFacts, params: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: "curltest", method: name, params })
  return [
    ["bitcoin-cli", name, ...params.map(typed)].join(" "),
    `curl --user myusername --data-binary '${body}' -H 'content-type: application/json' http://127.0.0.1:8332/`
  ]
}
