import type { NodeClient } from "@lockstep/sdk"

/** Why a block would not be accepted as the next one, its proof of work apart. A node that does not answer is a reason. */
export const proposeBlock = async (node: Pick<NodeClient, "ask">, block: Uint8Array): Promise<string | undefined> => {
  try {
    const { value } = await node.ask("ProposeBlock", { block })
    return value._tag === "Rejected" ? value.reason : undefined
  } catch (error) {
    return (error as Error).message
  }
}
