import { JsonMembers } from "../rpc/json/json-value.ts"
import { walletHint } from "../rpc/dispatch/wallet-methods.ts"
import type { Node, Reply } from "./call-node.ts"
import { ClientFailure } from "./client-failure.ts"
import { plainText } from "./core-json.ts"

const METHOD_NOT_FOUND = "-32601"

/** What a node of this kind has in its `subversion`, whatever other programs it is taken for. */
const OWN_NAME = "/Lockstep:"

const isUnknownMethod = ({ error }: Reply): boolean =>
  error instanceof JsonMembers && plainText(error.get("code") ?? null) === METHOD_NOT_FOUND

/** Whether the node is one of this project. Others may have a wallet, which is switched off. */
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
 * A reply, with what to do instead where the method is one of a wallet and this node has none. It is no part of the
 * error, whose code and words programs read.
 */
export const withWalletAdvice = async (node: Node, method: string, reply: Reply): Promise<Reply> => {
  const advice = isUnknownMethod(reply) ? walletHint(method) : undefined
  return advice !== undefined && await isThisNode(node) ? { ...reply, advice } : reply
}
