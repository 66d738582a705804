import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { decodeTransaction } from "@lockstep/kernel/internal/model/transaction-codec.ts"
import { CONSENSUS_FLAGS } from "@lockstep/kernel/internal/script/flags.ts"
import { createMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import { verifyScript } from "@lockstep/kernel/internal/interpreter/verify-script.ts"
import { spendDigests } from "@lockstep/kernel/internal/sighash/digests.ts"
import { assert, describe, it } from "vitest"
import { join } from "../oracles/byte-string.ts"
import { compactSize } from "../oracles/compact-size.ts"
import { pushOf } from "../oracles/instructions.ts"
import { lengthPrefixed, serializeBody } from "../oracles/transaction.ts"
import { kernelEvaluation, kernelVerdict, verdictName } from "../subject/kernel.ts"
import { KEY_PAIRS } from "../arbitraries/signer.ts"
import { NOTHING, spendOf, taprootOf, TRUE } from "./made.ts"

const judged = (scriptPubKey: ReadonlyArray<number> | Uint8Array, scriptSig: Uint8Array = NOTHING): string =>
  kernelVerdict(spendOf(scriptSig, Uint8Array.from(scriptPubKey)))

const bySpending = (script: Uint8Array, items: ReadonlyArray<Uint8Array>): string => {
  const { output, tail } = taprootOf(script)
  return kernelVerdict(spendOf(NOTHING, output.script, [...items, ...tail]))
}

const evaluated = (
  stack: ReadonlyArray<Uint8Array>,
  ...script: ReadonlyArray<number>
): ReturnType<typeof kernelEvaluation> =>
  kernelEvaluation(stack, Uint8Array.from(script), "base", spendOf(NOTHING, NOTHING))

const numbers = (count: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: count }, (_, i) => Uint8Array.of(i + 1))

describe("bugs there were in scripts", () => {
  it("CVE-2010-5137 LSHIFT and its like are disabled even where they are not executed", () => {
    for (const opcode of [0x7e, 0x7f, 0x80, 0x81, 0x83, 0x84, 0x85, 0x86, 0x8d, 0x8e, 0x95, 0x96, 0x97, 0x98, 0x99]) {
      assert.match(judged([0x51, 0x51, opcode]), /DISABLED_OPCODE$/)
      assert.match(judged([0x51, 0x00, 0x63, opcode, 0x68]), /DISABLED_OPCODE$/)
    }
  })

  it("CVE-2010-5141 RETURN in a scriptSig does not end everything with success", () => {
    assert.match(judged([0x00], Uint8Array.of(0x51, 0x6a)), /OP_RETURN$/)
    assert.match(judged([0x51, 0x6a]), /OP_RETURN$/)
  })

  it("CVE-2010-5138 201 operations are the most a script may have, executed or not", () => {
    assert.strictEqual(judged(join([0x51], new Uint8Array(201).fill(0x61))), "OK")
    assert.match(judged(join([0x51], new Uint8Array(202).fill(0x61))), /OP_COUNT$/)
    assert.match(judged(join([0x51, 0x00, 0x63], new Uint8Array(200).fill(0xac), [0x68])), /OP_COUNT$/)
  })

  it("blvm 26933d0 a tapscript has no limit of 201 operations and none of 10,000 bytes", () => {
    assert.strictEqual(bySpending(join([0x51], new Uint8Array(12_000).fill(0x61)), []), "OK")
  })

  it("btcd CVE-2022-44797 a tapscript of hundreds of keys and a witness of as many items is judged", () => {
    const key = pushOf(KEY_PAIRS[0]!.xOnly)
    const script = join([...key], [0xac], ...Array.from({ length: 997 }, () => join(key, [0xba])), [0x00, 0x9c])
    assert.isAbove(script.length, 33_000)
    assert.strictEqual(bySpending(script, Array.from({ length: 998 }, () => NOTHING)), "OK")
  })

  it("btcd CVE-2022-39389 a success opcode holds with 500,001 witness items", () => {
    const { output, tail } = taprootOf(Uint8Array.of(0x50))
    const { tx } = spendOf(NOTHING, output.script)
    const witness = join(compactSize(500_001), new Uint8Array(499_999), ...tail.map(lengthPrefixed))
    const decoded = decodeTransaction(join([1, 0, 0, 0, 0, 1], serializeBody(tx), witness, new Uint8Array(4)))
    assert(decoded._tag === "Success")
    const spent = [output]
    const digests = spendDigests(decoded.success, spent, nobleCrypto)
    const spend = { tx: decoded.success, inputIndex: 0, spentOutputs: spent, digests, flags: CONSENSUS_FLAGS }
    assert.strictEqual(decoded.success.inputs[0]!.witness.length, 500_001)
    assert.strictEqual(verdictName(verifyScript(createMachine(nobleCrypto), spend)), "OK")
    assert.match(bySpending(TRUE, Array.from({ length: 1_001 }, () => NOTHING)), /STACK_SIZE$/)
  })

  it("gocoin 42763e1e 0NOTEQUAL takes no number of five bytes", () => {
    assert.strictEqual(evaluated([Uint8Array.of(1, 2, 3, 4, 5)], 0x92).error, "SCR-007 SCRIPTNUM")
    assert.deepStrictEqual(evaluated([Uint8Array.of(1, 2, 3, 4)], 0x92).stack, [TRUE.map(() => 1)])
  })

  it("gocoin 3234dfcf PUSHDATA4 has all four bytes of its length", () => {
    const cut = Uint8Array.of(0x4e, 0x01, 0x00, 0x01, 0x00, 0x51)
    assert.match(judged(cut), /BAD_OPCODE$/)
    assert.match(judged(join([0x4e, 0x01, 0x00, 0x01, 0x00], new Uint8Array(65_537).fill(0x51))), /SCRIPT_SIZE$/)
    assert.match(bySpending(join([0x4e, 0x01, 0x00, 0x01, 0x00], new Uint8Array(65_537).fill(0x51)), []), /PUSH_SIZE$/)
  })

  it.each([2, 15, 16, 17, 31, 32, 33, 64, 65])(
    "NBitcoin #1288 NIP, ROLL, PICK reach the bottom of %i elements",
    (count) => {
      const stack = numbers(count)
      assert.deepStrictEqual(evaluated(stack, 0x77).stack, [...stack.slice(0, -2), stack.at(-1)!])
      const deepest = [...stack, Uint8Array.of(count - 1)]
      assert.deepStrictEqual(evaluated(deepest, 0x7a).stack, [...stack.slice(1), stack[0]!])
      assert.deepStrictEqual(evaluated(deepest, 0x79).stack, [...stack, stack[0]!])
      assert.match(evaluated([...stack, Uint8Array.of(count)], 0x79).error, /INVALID_STACK_OPERATION$/)
    }
  )

  it("libbitcoin-system #1837 what is wrong with the counts of CHECKMULTISIG ends the script", () => {
    // NOT would turn a mere false into true.
    assert.match(judged([0x00, 0x00, 0x01, 0x15, 0xae, 0x91]), /PUBKEY_COUNT$/)
    assert.match(judged([0x00, 0x00, 0x4f, 0xae, 0x91]), /PUBKEY_COUNT$/)
    assert.match(judged([0x00, 0x52, 0x51, 0x51, 0xae, 0x91]), /SIG_COUNT$/)
    assert.match(judged([0x00, 0x00, 0x51, 0xae, 0x91]), /INVALID_STACK_OPERATION$/)
    assert.match(judged([0x00, 0x00, 0xae, 0x91]), /INVALID_STACK_OPERATION$/)
  })

  it("libbitcoin-system #1840 CHECKSIG with less than two elements ends the script", () => {
    assert.match(judged([0x51, 0xac, 0x91]), /INVALID_STACK_OPERATION$/)
    assert.match(judged([0xac, 0x91]), /INVALID_STACK_OPERATION$/)
    assert.match(judged([0x51, 0xad]), /INVALID_STACK_OPERATION$/)
  })
})
