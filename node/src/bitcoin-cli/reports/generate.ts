import { JsonMembers } from "../../json/json-value.ts"
import type { Node, Reply } from "../call-node.ts"
import { failClient } from "../client-failure.ts"
import { positionalParameters } from "../convert-parameters.ts"
import { plainText } from "../core-json.ts"
import { withWalletAdvice } from "../wallet-advice.ts"
import { succeeded } from "./report.ts"

/** Mines blocks to a new address of the node's wallet. */
export const generateReport = async (node: Node, words: ReadonlyArray<string>): Promise<Reply> => {
  const method = "getnewaddress"
  const found = await node.call({ method, params: [] })
  if (found.error !== null) return withWalletAdvice(node, method, found)
  if (words.length > 2) return failClient("too many arguments (maximum 2 for nblocks and maxtries)")
  const [count = "1", ...tries] = words
  if (count === "0") {
    return failClient("the first argument (number of blocks to generate, default: 1) must be an integer value greater than zero")
  }
  const address = plainText(found.result)
  const mining = "generatetoaddress"
  const mined = await node.call({ method: mining, params: positionalParameters(mining, [count, address, ...tries]) })
  return mined.error === null ? succeeded(new JsonMembers(["address", "blocks"], [address, mined.result])) : mined
}
