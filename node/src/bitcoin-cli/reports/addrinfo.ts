import { JsonMembers, JsonNumber } from "../../json/json-value.ts"
import type { Node, Reply } from "../call-node.ts"
import { failClient } from "../client-failure.ts"
import { member, succeeded } from "./report.ts"

const METHOD_NOT_FOUND = "-32601"

/** Reports the number of addresses that the node knows in each network. */
export const addrinfo = async (node: Node, words: ReadonlyArray<string>): Promise<Reply> => {
  if (words.length > 0) return failClient("-addrinfo takes no arguments")
  const reply = await node.call({ method: "getaddrmaninfo", params: [] })
  const code = member(reply.error, "code")
  if (code instanceof JsonNumber && code.text === METHOD_NOT_FOUND) {
    return failClient(
      "-addrinfo requires bitcoind v26.0 or later which supports getaddrmaninfo RPC. Please upgrade your node or use bitcoin-cli from the same version."
    )
  }
  if (reply.error !== null) return reply
  const networks = reply.result instanceof JsonMembers ? reply.result.keys : []
  const named = networks.filter((name) => name !== "all_networks")
  const totals = [...named, "all_networks"].map((name) => member(reply.result, name, "total"))
  const known = new JsonMembers([...named, "total"], totals)
  return succeeded(new JsonMembers(["addresses_known"], [known]))
}
