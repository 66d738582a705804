import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { CONSENSUS_FLAGS, createMachine, type Machine, nobleCrypto, type Spend, verifyScript } from "../../src/index.ts"
import { SPENDS, spendOf } from "../signing.ts"

const base = spendOf(SPENDS["public key hash"]!)

/** An output with `script` spent by a scriptSig of `scriptSig`. */
const spending = (script: ReadonlyArray<number>, scriptSig: ReadonlyArray<number> = []): Spend => {
  const input = { ...base.tx.inputs[0]!, script: Uint8Array.from(scriptSig) }
  return {
    ...base,
    tx: { ...base.tx, inputs: [input] },
    spentOutputs: [{ value: 0n, script: Uint8Array.from(script) }],
    digests: {},
    flags: CONSENSUS_FLAGS
  }
}

/** Spends that leave the machine in the middle of something. */
const FAILING: ReadonlyArray<readonly [title: string, spend: Spend, error: string]> = [
  ["an open conditional", spending([0x51, 0x63, 0x51]), "UNBALANCED_CONDITIONAL"],
  ["a branch that is not taken", spending([0x00, 0x63, 0x51]), "UNBALANCED_CONDITIONAL"],
  ["an alternative stack that is not empty", spending([0x51, 0x6b, 0x6a]), "OP_RETURN"],
  ["a separator", spending([0xab, 0x51, 0xab, 0x6a]), "OP_RETURN"],
  ["a thousand elements", spending(Array.from({ length: 1001 }, () => 0x51)), "STACK_SIZE"],
  ["two hundred and two opcodes", spending(Array.from({ length: 202 }, () => 0x61)), "OP_COUNT"],
  ["an element beyond what is there", spending([0x75]), "INVALID_STACK_OPERATION"],
  ["a push that is cut off", spending([0x02, 0x01]), "BAD_OPCODE"]
]

const judge = (machine: Machine, spend: Spend): string => {
  const verdict = verifyScript(machine, spend)
  return Result.isSuccess(verdict) ? "holds" : verdict.failure.detail.error
}

describe("a machine", () => {
  it.each(FAILING)("after %s judges the next spends as a new one does", (_, failing, error) => {
    const machine = createMachine(nobleCrypto)
    for (const spend of Object.values(SPENDS)) {
      assert.strictEqual(judge(machine, failing), error)
      assert.strictEqual(judge(machine, spendOf(spend)), "holds")
    }
  })

  it("after a taproot spend knows nothing of its annex or leaf", () => {
    const machine = createMachine(nobleCrypto)
    const spend = spendOf(SPENDS["taproot"]!)
    const witness = [...spend.tx.inputs[0]!.witness, Uint8Array.of(0x50, 1)]
    const annexed = { ...spend, tx: { ...spend.tx, inputs: [{ ...spend.tx.inputs[0]!, witness }] } }
    assert.strictEqual(judge(machine, annexed), "SCHNORR_SIG")
    assert.strictEqual(judge(machine, spend), "holds")
  })

  it("does not let an element of an earlier spend be reached", () => {
    const machine = createMachine(nobleCrypto)
    assert.strictEqual(judge(machine, spending([0x51, 0x51, 0x51])), "holds")
    assert.strictEqual(judge(machine, spending([])), "EVAL_FALSE")
    assert.strictEqual(judge(machine, spending([0x51, 0x6b, 0x51])), "holds")
    assert.strictEqual(judge(machine, spending([0x6c])), "INVALID_ALTSTACK_OPERATION")
  })
})
