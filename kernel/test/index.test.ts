import { assert, describe, it } from "vitest"
import * as kernel from "../src/index.ts"

describe("the public index", () => {
  it("exports what a caller needs to judge transactions and scripts, and nothing else", () => {
    assert.deepStrictEqual(Object.keys(kernel).sort(), [
      "CONSENSUS_FLAGS",
      "RULES",
      "SCRIPT_ERROR_NAMES",
      "ScriptFlag",
      "blockHash",
      "blockWeight",
      "checkTransaction",
      "createMachine",
      "decodeBlock",
      "decodeHeader",
      "decodeTransaction",
      "encodeWithoutWitness",
      "merkleRoot",
      "nobleCrypto",
      "spendDigests",
      "transactionId",
      "transactionSigOpCost",
      "transactionWeight",
      "verifyScript",
      "witnessTransactionId"
    ])
  })
})
