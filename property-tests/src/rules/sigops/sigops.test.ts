import { legacySigOps, transactionSigOpCost } from "@lockstep/kernel/internal/sigops/cost.ts"
import { payToScriptHashSigOps } from "@lockstep/kernel/internal/sigops/pay-to-script-hash.ts"
import { scriptSigOps } from "@lockstep/kernel/internal/sigops/script.ts"
import { witnessSigOps } from "@lockstep/kernel/internal/sigops/witness.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { mutated } from "../../arbitraries/bytes.ts"
import { anySpend } from "../../arbitraries/doubtful-spend.ts"
import { flagSet } from "../../arbitraries/flags.ts"
import { anyScript, pushOnlyScript } from "../../arbitraries/script.ts"
import {
  doubtfulTransaction,
  filled,
  type SpendFrame,
  spendFrame,
  witnessStack
} from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import { join } from "../../oracles/byte-string.ts"
import { pushOf } from "../../oracles/instructions.ts"
import * as oracle from "../../oracles/sigops.ts"
import { closed } from "../../oracles/spend.ts"
import { flagBits, kernelTransaction } from "../../subject/kernel.ts"

/** Signature operations with any opcode in front of them, and pushes that hide some. */
const sigOpScript: Arbitrary<Uint8Array> = fc
  .array(
    fc.oneof(
      fc
        .constantFrom(0, 79, 80, 81, 82, 96, 97, 171)
        .chain((before) => fc.constantFrom(172, 173, 174, 175).map((opcode) => Uint8Array.of(before, opcode))),
      fc.constantFrom(
        Uint8Array.of(174),
        Uint8Array.of(2, 172, 174),
        Uint8Array.of(76, 1, 174),
        Uint8Array.of(1, 5, 174)
      ),
      anyScript.map((script) => script.subarray(0, 6))
    ),
    { maxLength: 8 }
  )
  .map((parts) => join(...parts))
const script = fc.oneof(sigOpScript, mutated(sigOpScript), anyScript)

const scriptHash = join([169, 20], new Uint8Array(20).fill(1), [135])
const keyProgram = join([0, 20], new Uint8Array(20))
const scriptProgram = join([0, 32], new Uint8Array(32))
const output = fc.oneof(
  fc.constantFrom(
    scriptHash,
    keyProgram,
    scriptProgram,
    join([0x51, 32], new Uint8Array(32)),
    join([0, 21], new Uint8Array(21))
  ),
  script
)

/** A scriptSig whose last push is a script or a program, mostly. */
const scriptSig = fc.oneof(
  fc
    .tuple(
      pushOnlyScript,
      fc.oneof(
        script.filter((bytes) => bytes.length <= 75),
        fc.constantFrom(keyProgram, scriptProgram)
      )
    )
    .map(([before, redeem]) => join(before, pushOf(redeem))),
  fc.tuple(script, fc.constantFrom(80, 81, 97, 117)).map(([redeem, last]) => join(pushOf(redeem), [last])),
  script
)
const scriptWitness = fc
  .tuple(witnessStack, fc.option(script, { nil: undefined }))
  .map(([items, last]) => (last ? [...items, last] : items))

const countedSpend: Arbitrary<SpendFrame> = fc.oneof(
  anySpend,
  fc
    .tuple(spendFrame, scriptSig, output, scriptWitness)
    .map(([frame, sig, spent, witness]) => filled(frame, sig, spent, witness)),
  doubtfulTransaction.map((tx) => ({ tx, index: 0, spent: tx.inputs.map(() => ({ value: 0n, script: scriptHash })) }))
)

describe("SOP signature operations", () => {
  it("SOP-001/P1 the value equals the statement", () => {
    check(
      fc.property(
        script,
        fc.boolean(),
        (bytes, accurate) => agree(scriptSigOps(bytes, accurate), oracle.sigOps(bytes, accurate))
      ),
      600
    )
  })

  it("SOP-001/P2 the accurate count is never above the other", () => {
    check(
      fc.property(script, (bytes) => assert(scriptSigOps(bytes, true) <= scriptSigOps(bytes, false))),
      400
    )
  })

  it("SOP-002/P1 the value equals the statement", () => {
    check(
      fc.property(
        scriptSig,
        output,
        (sig, spent) => agree(payToScriptHashSigOps(sig, spent), oracle.payToScriptHashSigOps(sig, spent))
      ),
      600
    )
  })

  it("SOP-003/P1 the value equals the statement", () => {
    check(
      fc.property(
        scriptSig,
        output,
        scriptWitness,
        flagSet,
        (sig, spent, witness, flags) =>
          agree(witnessSigOps(sig, spent, witness, flagBits(flags)), oracle.witnessSigOps(sig, spent, witness, flags))
      ),
      600
    )
  })

  it("SOP-004/P1 the value equals the statement", () => {
    check(
      fc.property(
        countedSpend,
        flagSet,
        ({ tx, spent }, flags) =>
          agree(transactionSigOpCost(kernelTransaction(tx), spent, flagBits(flags)), oracle.sigOpCost(tx, spent, flags))
      ),
      400
    )
  })

  it("SOP-004/P2 more flags never lower the cost", () => {
    check(
      fc.property(countedSpend, flagSet, flagSet, ({ tx, spent }, some, others) => {
        const cost = (flags: Iterable<string>): number =>
          transactionSigOpCost(kernelTransaction(tx), spent, flagBits(closed(flags)))
        assert(cost(some) <= cost([...some, ...others]))
      }),
      300
    )
  })

  it("SOP-005/P1 the value equals the statement", () => {
    check(
      fc.property(countedSpend, ({ tx }) => agree(legacySigOps(kernelTransaction(tx)), oracle.legacySigOps(tx))),
      400
    )
  })

  it("SOP-005/P2 the witness has no influence on it", () => {
    check(
      fc.property(countedSpend, scriptWitness, ({ tx }, witness) => {
        const other = { ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness })) }
        agree(legacySigOps(kernelTransaction(tx)), legacySigOps(kernelTransaction(other)))
      }),
      200
    )
  })
})
