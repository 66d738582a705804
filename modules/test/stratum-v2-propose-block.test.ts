import type { NodeClient } from "@lockstep/sdk"
import { assert, describe, it } from "vitest"
import { proposeBlock } from "../stratum-v2/src/propose-block.ts"

const BLOCK = Uint8Array.of(1, 2)

/** What a proposal comes to, and what the node was asked. */
const proposed = async (answer: () => Promise<unknown>) => {
  const asked: Array<unknown> = []
  const node = {
    ask: (...request: ReadonlyArray<unknown>) => {
      asked.push(request)
      return answer()
    }
  } as unknown as NodeClient
  return { asked, reason: await proposeBlock(node, BLOCK) }
}

describe("a block that is proposed", () => {
  it.each<readonly [string, unknown, string | undefined]>([
    ["good where the node would accept it", { _tag: "Accepted" }, undefined],
    ["good where the node has it", { _tag: "Duplicate" }, undefined],
    ["bad with the node's reason where it would not", { _tag: "Rejected", reason: "bad-cb-amount" }, "bad-cb-amount"]
  ])("is %s", async (_, value, reason) => {
    assert.deepStrictEqual(await proposed(() => Promise.resolve({ value })), {
      asked: [["ProposeBlock", { block: BLOCK }]],
      reason
    })
  })

  it("is not good where the node does not answer", async () => {
    const { reason } = await proposed(() => Promise.reject(new Error("the node is busy")))
    assert.strictEqual(reason, "the node is busy")
  })
})
