import { afterEach, assert, describe, it } from "vitest"
import { type ModuleContext, NodeError, startModule } from "../src/index.ts"
import { type FakeNode, fakeNode, type FakeNodeOptions } from "../src/test-kit/fake-node.ts"

const open: Array<FakeNode> = []
const aNode = async (options?: FakeNodeOptions): Promise<FakeNode> => {
  const node = await fakeNode(options)
  open.push(node)
  return node
}
afterEach(async () => {
  for (const node of open.splice(0)) await node.close()
})

/** Asks as a program does that no compiler has looked at. */
const refusalOf = async ({ node }: ModuleContext, type: string, fields?: object): Promise<string> => {
  const ask = node.ask as (type: string, fields?: object) => Promise<unknown>
  try {
    await ask(type, fields)
    return "answered"
  } catch (error) {
    assert.instanceOf(error, NodeError)
    return error.message
  }
}

const HASH = new Uint8Array(32)

describe("a request that no compiler has checked", () => {
  it.each<readonly [type: string, fields: object | undefined, message: string]>([
    ["GetMempoolSzie", undefined, "unknown request \"GetMempoolSzie\"; did you mean GetMempoolSize?"],
    ["getchaintip", undefined, "unknown request \"getchaintip\"; did you mean GetChainTip?"],
    ["entirely different", undefined, "unknown request \"entirely different\""],
    ["toString", undefined, "unknown request \"toString\""],
    ["GetBlock", { hahs: HASH }, "unknown field of GetBlock \"hahs\"; did you mean hash?"],
    ["GetBlock", undefined, "GetBlock.hash is missing; it must be a Uint8Array of 32 bytes"],
    ["GetBlock", { hash: "00" }, "GetBlock.hash must be a Uint8Array of 32 bytes, and is \"00\""],
    ["GetBlock", { hash: HASH.subarray(1) }, "GetBlock.hash must be a Uint8Array of 32 bytes, and is Uint8Array"],
    ["SubscribeEvents", { event_types: "NewBlock" }, "SubscribeEvents.event_types must be a list, and is \"NewBlock\""],
    ["SubscribeEvents", { event_types: ["NewBlok"] }, "unknown event type \"NewBlok\"; did you mean NewBlock?"],
    [
      "GetUtxo",
      { outpoint: { hash: HASH, index: -1 } },
      "GetUtxo.outpoint.index must be an integer from 0 to 4294967295, and is -1"
    ],
    ["GetBlockTemplate", { rules: ["segwit", 1] }, "GetBlockTemplate.rules[1] must be a string, and is 1"]
  ])("%s %o is refused before it is sent, with the nearest name", async (type, fields, message) => {
    const node = await aNode()
    const { context } = await startModule({ version: "1.0.0" }, node.environment)
    const sent = node.requests.length
    assert.strictEqual(await refusalOf(context, type, fields), message)
    assert.strictEqual(node.requests.length, sent)
    // The connection goes on.
    assert.match(await refusalOf(context, "GetChainTip"), /the fake node has no answer/)
  })
})

describe("a module with a misspelt name", () => {
  const failureOf = async (parts: object, settings = {}): Promise<string> => {
    const node = await aNode({ settings })
    try {
      await startModule({ version: "1.0.0", ...parts }, node.environment)
      return "started"
    } catch (error) {
      return (error as Error).message
    }
  }

  it("does not start, and the message has the nearest name, where it is that of a part", async () => {
    assert.strictEqual(await failureOf({ rcp: {} }), "unknown part of a module \"rcp\"; did you mean rpc?")
    assert.strictEqual(await failureOf({ event: {} }), "unknown part of a module \"event\"; did you mean events?")
  })

  it("does not start, and the message has the nearest name, where it is that of an event", async () => {
    assert.strictEqual(
      await failureOf({ events: { BlockDisconected: () => undefined } }),
      "unknown event type \"BlockDisconected\"; did you mean BlockDisconnected?"
    )
  })

  it("does not start, and the message has the nearest name, where it is that of a setting", async () => {
    assert.strictEqual(
      await failureOf({ settings: { interval: 1, target: "" } }, { intervall: "2" }),
      "unknown setting \"intervall\"; did you mean interval? (settings of this module: interval, target)"
    )
  })
})
