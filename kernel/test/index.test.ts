import { assert, describe, it } from "vitest"
import * as kernel from "../src/index.ts"

describe("the public index", () => {
  it("exports what a caller needs to judge scripts, transactions, headers, blocks and chains, and nothing else", () => {
    assert.deepStrictEqual(Object.keys(kernel).sort(), [
      "CONSENSUS_FLAGS",
      "RULES",
      "SCRIPT_ERROR_NAMES",
      "ScriptFlag",
      "ancestorAt",
      "blockHash",
      "blockIsMutated",
      "blockScriptFlags",
      "blockSubsidy",
      "blockWeight",
      "checkBlock",
      "checkBlockInContext",
      "checkHeader",
      "checkInputs",
      "checkTransaction",
      "childOf",
      "collectBlock",
      "concludeBlock",
      "createMachine",
      "decodeBlock",
      "decodeHeader",
      "decodeTransaction",
      "deploymentState",
      "disconnectBlock",
      "encodeWithoutWitness",
      "equivalentTime",
      "isBetterChain",
      "judgeScripts",
      "lastCommonAncestor",
      "medianTimePast",
      "merkleRoot",
      "nobleCrypto",
      "proofOfWork",
      "reorganisation",
      "requiredBits",
      "scriptCheckReason",
      "signallingStatistics",
      "spendDigests",
      "transactionId",
      "transactionIds",
      "transactionSigOpCost",
      "transactionWeight",
      "verifyScript",
      "witnessTransactionId"
    ])
  })
})
