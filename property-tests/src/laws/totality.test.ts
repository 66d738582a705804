import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { decodeHeader } from "@lockstep/kernel/internal/model/header.ts"
import { decodeTransaction } from "@lockstep/kernel/internal/model/transaction-codec.ts"
import { findAndDelete } from "@lockstep/kernel/internal/script/find-and-delete.ts"
import { isPushOnly } from "@lockstep/kernel/internal/script/instruction.ts"
import { parseLaxDer } from "@lockstep/kernel/internal/signature/der.ts"
import { ecdsaVerifies } from "@lockstep/kernel/internal/signature/ecdsa.ts"
import { payToScriptHashSigOps } from "@lockstep/kernel/internal/sigops/pay-to-script-hash.ts"
import { scriptSigOps } from "@lockstep/kernel/internal/sigops/script.ts"
import { witnessSigOps } from "@lockstep/kernel/internal/sigops/witness.ts"
import { withoutCodeSeparators } from "@lockstep/kernel/internal/sighash/legacy.ts"
import { scanForSuccess } from "@lockstep/kernel/internal/taproot/success.ts"
import { checkTransaction } from "@lockstep/kernel/internal/tx/check-transaction.ts"
import { witnessProgram } from "@lockstep/kernel/internal/script/witness-program.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { anyBytes, edgeBytes, mutated } from "../arbitraries/bytes.ts"
import { anyBlock } from "../arbitraries/block.ts"
import { stackOfAny, surroundings, version } from "../arbitraries/evaluation.ts"
import { anyTransaction } from "../arbitraries/transaction.ts"
import { check } from "../check.ts"
import { serializeBlock } from "../oracles/block.ts"
import { serializeTransaction } from "../oracles/transaction.ts"
import { kernelEvaluation } from "../subject/kernel.ts"

const transactionBytes = anyTransaction.map(serializeTransaction)
const blockBytes = anyBlock.map(serializeBlock)
const malformed: Arbitrary<Uint8Array> = fc.oneof(
  anyBytes(200),
  edgeBytes(),
  mutated(transactionBytes),
  mutated(blockBytes),
  transactionBytes,
  blockBytes
)

/** Numbers of inputs, outputs and bytes that are announced and never come. */
const announced = fc
  .tuple(
    malformed,
    fc.constantFrom([254, 0, 0, 0, 2], [253, 255, 255], [255, 0, 0, 0, 0, 1, 0, 0, 0], [254, 255, 255, 255, 255]),
    fc.nat(100)
  )
  .map(([bytes, size, at]) => Uint8Array.of(...bytes.subarray(0, at), ...size, ...bytes.subarray(at)))

describe("law: no input, however malformed, throws or takes long", () => {
  it("decoders", () => {
    check(
      fc.property(fc.oneof(malformed, announced), (bytes) => {
        const tx = decodeTransaction(bytes)
        if (tx._tag === "Success") checkTransaction(tx.success)
        decodeBlock(bytes)
        decodeHeader(bytes)
      }),
      1000
    )
  })

  it("whatever reads a script, a signature or a key", () => {
    check(
      fc.property(malformed, malformed, (a, b) => {
        for (const read of [isPushOnly, withoutCodeSeparators, scanForSuccess, witnessProgram, parseLaxDer]) read(a)
        findAndDelete(a, b)
        scriptSigOps(a, true)
        payToScriptHashSigOps(a, b)
        witnessSigOps(a, b, [a], -1)
        ecdsaVerifies(nobleCrypto, a, b, new Uint8Array(32))
      }),
      500
    )
  })

  it("evaluation of any bytes", () => {
    check(
      fc.property(stackOfAny(), malformed, version, surroundings, (stack, script, under, spend) => {
        assert(kernelEvaluation(stack, script, under, spend).error.length > 0)
      }),
      1000
    )
  })

  it("a tapscript of a hundred thousand opened conditionals, and one of as many elements moved about", () => {
    const judged = fc.sample(surroundings, { numRuns: 1, seed: 1 })[0]!
    const opened = new Uint8Array(200_001).map((_, i) => (i % 2 === 0 ? 0 : 99))
    const rolled = Uint8Array.from(
      { length: 100_000 },
      (_, i) => (i < 900 ? 81 : i % 3 === 0 ? 1 : i % 3 === 1 ? 100 : 122)
    )
    const start = Date.now()
    kernelEvaluation([], opened, "tapscript", { ...judged, flags: new Set() })
    kernelEvaluation([], rolled, "tapscript", { ...judged, flags: new Set() })
    assert(Date.now() - start < 5_000)
  })
})
