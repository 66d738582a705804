import { JsonMembers } from "../json/json-value.ts"
import { walletHint } from "../rpc/dispatch/wallet-methods.ts"
import type { Node, Reply } from "./call-node.ts"
import { ClientFailure } from "./client-failure.ts"
import { plainText } from "./core-json.ts"

const METHOD_NOT_FOUND = "-32601"

/** Part of the `subversion` that identifies a node of this project, whatever user agent it imitates. */
const OWN_NAME = "/Lockstep:"

const isUnknownMethod = ({ error }: Reply): boolean =>
  error instanceof JsonMembers && plainText(error.get("code") ?? null) === METHOD_NOT_FOUND

/** Reports whether the node is one of this project. Others may have a wallet that is disabled. */
const isThisNode = async (node: Node): Promise<boolean> => {
  try {
    const { result } = await node.call({ method: "getnetworkinfo", params: [] })
    const name = result instanceof JsonMembers ? result.get("subversion") : undefined
    return typeof name === "string" && name.includes(OWN_NAME)
  } catch (error) {
    if (error instanceof ClientFailure) return false
    throw error
  }
}

/**
 * Adds advice to the reply if the method belongs to a wallet and this node has no wallet. The error itself is
 * unchanged, since programs read its code and message.
 */
export const withWalletAdvice = async (node: Node, method: string, reply: Reply): Promise<Reply> => {
  const advice = isUnknownMethod(reply) ? walletHint(method) : undefined
  return advice !== undefined && await isThisNode(node) ? { ...reply, advice } : reply
}
