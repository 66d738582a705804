import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Program, runProgram } from "./program.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const { genesisBlock, parameters: { genesisHash } } = NETWORKS.testnet4
const X = "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"

let program: Program
beforeAll(async () => {
  program = await runProgram(() => import("../psbt/src/main.ts"), {
    answer: (request) =>
      request._tag === "GetBlockHeader"
        ? {
          _tag: "BlockHeader",
          value: Buffer.compare(request.hash, genesisHash) === 0 ? genesisBlock.subarray(0, 80) : undefined
        }
        : undefined
  })
})
afterAll(async () => {
  assert.strictEqual(await program.end(), 0)
})

const refusal = (call: Promise<unknown>): Promise<string> => call.then(() => "", (error: Error) => error.message)

describe("the program of the module psbt", () => {
  it("takes the place of two methods of the node, and has one of its own", () => {
    assert.deepStrictEqual(program.asked("RegisterCoreRpcOverride").map(({ method }) => method), [
      "analyzepsbt",
      "getdescriptorinfo"
    ])
    assert.deepStrictEqual(program.asked("RegisterRpcEndpoint").map(({ method }) => method), ["analyzeminiscript"])
    for (
      const { description } of [...program.asked("RegisterCoreRpcOverride"), ...program.asked("RegisterRpcEndpoint")]
    ) {
      assert.match(description, /(?:Answers|answers) .*\.$/)
    }
    assert.deepStrictEqual(program.asked("SubscribeEvents"), [{
      _tag: "SubscribeEvents",
      event_types: ["NodeShutdown"]
    }])
  })

  it("answers with the first parameter, for the network of its node", async () => {
    const { descriptor } = await program.call("getdescriptorinfo", [`tr(${X})`, 5]) as Shown
    assert.match(descriptor, /^tr\(/)
    assert.match(await refusal(program.call("getdescriptorinfo")), /descriptor is missing/)
    assert.match(await refusal(program.call("analyzepsbt", [1])), /psbt must be a text/)
    assert.match(await refusal(program.call("analyzepsbt", ["abc"])), /TX decode failed invalid base64/)
    const { context } = await program.call("analyzeminiscript", { miniscript: "pk(A)", context: "tr" }) as Shown
    assert.strictEqual(context, "tr")
    // An address has its network; of another one it is none here.
    const address = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
    assert.match((await program.call("getdescriptorinfo", [`addr(${address})`]) as Shown).descriptor, /^addr\(tb1/)
    assert.isNotEmpty(
      await refusal(program.call("getdescriptorinfo", ["addr(bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc)"]))
    )
  })
})
