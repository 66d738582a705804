import { type Block, transactionId, transactionOf, witnessTransactionId } from "@lockstep/kernel/model"
import type { RuleId } from "@lockstep/kernel/rule-ids"
import { violation } from "@lockstep/kernel/verdict"
import { assert, describe, it } from "@effect/vitest"
import { blockRejection } from "../../../src/engine/validation/offender.ts"
import { displayHash } from "../../../src/hex.ts"
import { testCrypto } from "../test-engine.ts"
import { plantChain, plantedRoot } from "../planted-blocks.ts"
import { blockOf } from "../../../src/engine/validation/read-block.ts"

const spend = (tag: number, outputs: number) =>
  transactionOf({
    version: 2,
    inputs: [6, 7].map((vout) => ({
      prevout: { txid: new Uint8Array(32).fill(tag), vout },
      script: new Uint8Array(0),
      sequence: 0xffffffff,
      witness: [Uint8Array.of(tag)]
    })),
    outputs: Array.from({ length: outputs }, () => ({ value: 1n, script: Uint8Array.of(0x51) })),
    lockTime: 0
  })

const [planted] = plantChain(plantedRoot(), 1)
const whole = blockOf(planted!.bytes)!

/** A coinbase and three others, the last without outputs, which no transaction may be. */
const BLOCK: Block = { ...whole, transactions: [whole.transactions[0]!, spend(1, 1), spend(2, 1), spend(3, 0)] }

const idAt = (place: number): string => displayHash(transactionId(BLOCK.transactions[place]!, testCrypto))
const witnessIdAt = (place: number): string => displayHash(witnessTransactionId(BLOCK.transactions[place]!, testCrypto))

const debugOf = (rule: RuleId, detail: object | null, jobs?: number): string | undefined =>
  blockRejection(violation(rule, detail), BLOCK, testCrypto, jobs).debug

describe("the transaction that a rejected block is rejected for", () => {
  it("is the one of the job whose script fails, with the input and what it spends", () => {
    for (const job of [0, 1]) {
      const spent = displayHash(new Uint8Array(32).fill(job + 1))
      assert.strictEqual(
        debugOf("OPC-104", { error: "UNBALANCED_CONDITIONAL", input: 1, job }),
        `input 1 of ${idAt(job + 1)} (wtxid ${witnessIdAt(job + 1)}), spending ${spent}:7`
      )
    }
    assert.notStrictEqual(idAt(1), witnessIdAt(1))
  })

  it("is the one behind all whose coins hold", () => {
    for (const jobs of [0, 1, 2]) {
      assert.strictEqual(
        debugOf("TXI-001", null, jobs),
        `CheckTxInputs: inputs missing/spent in transaction ${idAt(jobs + 1)}`
      )
    }
    assert.include(debugOf("TXI-001", null)!, idAt(1))
  })

  it("is the first that fails by itself", () => {
    assert.strictEqual(debugOf("TXN-002", null), `Transaction check failed (tx hash ${idAt(3)}) `)
  })

  it("is none where the block is at fault", () => {
    assert.strictEqual(debugOf("BLK-003", null), "duplicate transaction")
  })
})
