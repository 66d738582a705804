import type { BlockTemplate, NodeClient } from "@lockstep/sdk"

/** Where templates come from, and go to. */
export interface FollowTemplates {
  readonly node: Pick<NodeClient, "ask" | "log">
  /** What coinbases pay to. */
  readonly address: string
  /** Seconds after which a template is renewed on the same tip, at most 25. */
  readonly refreshSeconds: number
  readonly take: (template: BlockTemplate) => void
}

/** Rules that miners of these modules know. */
const RULES = ["segwit", "signet", "taproot"]

/** After a refusal, such as in the initial download. */
const PAUSE_MS = 5_000

/** Throws where blocks cannot pay to an address. A node that has no template yet is no reason. */
export const checkAddress = async (node: FollowTemplates["node"], address: string): Promise<void> => {
  const asked = { rules: RULES, coinbase_script: undefined, coinbase_address: address }
  const message = await node.ask("GetBlockTemplate", asked).then(() => "", (error: Error) => error.message)
  if (message.includes("is no address")) throw new Error(`the setting payout_address is wrong: ${message}`)
}

/** Takes a template, and from then on each new one, until `isOver`. A node that has none yet is asked again. */
export const followTemplates = async (
  { address, node, refreshSeconds, take }: FollowTemplates,
  isOver: () => boolean
): Promise<void> => {
  const asked = { rules: RULES, coinbase_script: undefined, coinbase_address: address }
  let last: BlockTemplate | undefined
  let lastRefusal = ""
  while (!isOver()) {
    try {
      const { value } = last === undefined
        ? await node.ask("GetBlockTemplate", asked)
        : await node.ask("WaitForBlockTemplate", {
          ...asked,
          longpoll_id: last.longpoll_id,
          timeout_seconds: refreshSeconds
        })
      // On the same tip a template without other transactions is no news.
      if (value.longpoll_id !== last?.longpoll_id || value.coinbase_value !== last.coinbase_value) take(value)
      last = value
      lastRefusal = ""
    } catch (error) {
      if (isOver()) return
      const { message } = error as Error
      if (message !== lastRefusal) node.log("Warn", `there is no block template: ${message}`)
      lastRefusal = message
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}
