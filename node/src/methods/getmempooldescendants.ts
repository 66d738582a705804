import { method } from "./definition/method.ts"
import { RelativesResult, RELATIVES_PARAMETERS, relativesOf } from "./mempool/mempool-relatives.ts"

export const getmempooldescendants = method({
  name: "getmempooldescendants",
  category: "blockchain",
  privilege: "anyone",
  description: "Lists the transactions of the mempool that stand on a transaction of it, directly or not.",
  parameters: RELATIVES_PARAMETERS,
  result: RelativesResult,
  examples: [{ params: ["4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"] }],
  call: ({ txid, verbose }, node) => relativesOf(node, txid, "descendants", verbose)
})
