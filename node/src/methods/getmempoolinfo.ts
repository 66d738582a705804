import { MempoolInfo, mempoolInfo } from "../answers/mempool-info.ts"
import { method } from "./definition/method.ts"

export const getmempoolinfo = method({
  name: "getmempoolinfo",
  category: "blockchain",
  privilege: "anyone",
  description: "Answers how full the mempool is, and what it asks of transactions.",
  parameters: {},
  result: MempoolInfo,
  examples: [{ params: [] }],
  call: (_, node) => mempoolInfo(node)
})
