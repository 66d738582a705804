import type { RequestPayload, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"
import { type BlockTemplate, NodeError } from "@lockstep/sdk"
import { blockTemplate } from "./block-template.ts"

/** What becomes of a block that is submitted; `no node`: the node is too busy to say. */
export type BlockFate = Extract<ResponsePayload, { readonly _tag: "SubmitBlockResult" }>["value"] | "no node"

/** What a node answers that has a template, and waits for a test to give the next one. */
export interface MiningNode {
  readonly answer: (request: RequestPayload) => ResponsePayload | undefined | Promise<ResponsePayload>
  /** Answers the request that waits for a template. */
  readonly give: (template: BlockTemplate) => void
  fate: BlockFate
}

/** A node whose listeners are at `address`. */
export const miningNode = (address: string): MiningNode => {
  let give: ((template: BlockTemplate) => void) | undefined
  const node: MiningNode = {
    fate: { _tag: "Accepted" },
    give: (template) => give!(template),
    answer: (request) => {
      switch (request._tag) {
        case "GetBlockTemplate":
          return { _tag: "BlockTemplate", value: blockTemplate({ longpoll_id: "1" }) }
        case "WaitForBlockTemplate":
          return new Promise((resolve) => {
            give = (value) => resolve({ _tag: "BlockTemplate", value })
          })
        case "ListenNetwork":
          return { _tag: "NetworkListening", listener_id: 5, address }
        case "SubmitBlock":
          if (node.fate === "no node") throw new NodeError("ResourceExhausted", "the node is busy")
          return { _tag: "SubmitBlockResult", value: node.fate }
        default:
          return undefined
      }
    }
  }
  return node
}
