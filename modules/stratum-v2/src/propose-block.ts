import type { NodeClient } from "@lockstep/sdk"

/**
 * Returns the reason why a block would not be accepted next, proof of work apart, or `undefined`. A node that does not
 * answer is a reason.
 */
export const proposeBlock = async (node: Pick<NodeClient, "ask">, block: Uint8Array): Promise<string | undefined> => {
  try {
    const { value } = await node.ask("ProposeBlock", { block })
    return value._tag === "Rejected" ? value.reason : undefined
  } catch (error) {
    return (error as Error).message
  }
}
