import { assert, describe, it } from "vitest"
import manifest from "../package.json" with { type: "json" }
import * as kernel from "../src/index.ts"

/** Files that the manifest opens, but for the whole face and for what is open to those who judge the kernel. */
const faces = Object.entries(manifest.exports).filter(([name]) => name !== "." && name !== "./internal/*").map((
  [, file]
) => file)

describe("the public face of the kernel", () => {
  it("is that of its areas, and no name stands in two of them", async () => {
    const names: Array<string> = []
    for (const file of faces) names.push(...Object.keys(await import(`../${file.slice(2)}`) as object))
    assert.deepStrictEqual(names.toSorted(), Object.keys(kernel).toSorted())
  })

  it("has what a caller needs to judge scripts, transactions, headers, blocks and chains", () => {
    assert.includeMembers(Object.keys(kernel), [
      "blockIdentity",
      "blockScriptFlags",
      "checkBlock",
      "checkBlockInContext",
      "checkHeader",
      "checkInputs",
      "checkTransaction",
      "collectBlock",
      "concludeBlock",
      "createMachine",
      "decodeBlock",
      "deploymentState",
      "disconnectBlock",
      "isBetterChain",
      "judgeScripts",
      "nobleCrypto",
      "requiredBits",
      "scriptCheckReason",
      "spendDigests",
      "transactionSigOpCost",
      "verifyScript"
    ])
  })
})
