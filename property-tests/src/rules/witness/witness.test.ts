import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { createMachine, resetMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import {
  executeWitnessScript,
  witnessItemSize,
  witnessStackIsClean
} from "@lockstep/kernel/internal/interpreter/execute-witness-script.ts"
import {
  nativeScriptSigIsEmpty,
  nestedScriptSigIsOnePush,
  witnessIsExpected
} from "@lockstep/kernel/internal/witness/malleation.ts"
import { witnessProgram } from "@lockstep/kernel/internal/script/witness-program.ts"
import { verifyWitnessProgram } from "@lockstep/kernel/internal/interpreter/verify-witness-program.ts"
import {
  payToWitnessPublicKeyHash,
  payToWitnessScriptHash,
  versionZeroLength
} from "@lockstep/kernel/internal/witness/version-zero.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { bytesOf, edgeBytes, mutated } from "../../arbitraries/bytes.ts"
import { anySpend } from "../../arbitraries/doubtful-spend.ts"
import { stackOfAny, surroundings, tapscriptContext, version } from "../../arbitraries/evaluation.ts"
import { flagSet } from "../../arbitraries/flags.ts"
import { anyScript } from "../../arbitraries/script.ts"
import { signedSpend } from "../../arbitraries/spend.ts"
import { witnessStack } from "../../arbitraries/transaction.ts"
import { validScript } from "../../arbitraries/valid-script.ts"
import { check } from "../../check.ts"
import { join, sameBytes } from "../../oracles/byte-string.ts"
import { sha256 } from "../../oracles/hash.ts"
import { pushOf } from "../../oracles/instructions.ts"
import { truth } from "../../oracles/script-number.ts"
import * as oracle from "../../oracles/witness.ts"
import { faultName, KERNEL_VERSIONS, kernelSpend, loadedMachine } from "../../subject/kernel.ts"

const programScript: Arbitrary<Uint8Array> = fc
  .tuple(fc.integer({ min: 0, max: 16 }), fc.integer({ min: 2, max: 40 }).chain(bytesOf))
  .map(([v, program]) => join([v === 0 ? 0 : 80 + v], pushOf(program)))
const programLike = fc.oneof(
  programScript,
  mutated(programScript),
  anyScript,
  fc.tuple(fc.nat(97), fc.nat(43), fc.nat(43)).map(([first, length, size]) =>
    join([first, length], new Uint8Array(size))
  )
)

describe("WIT witness programs", () => {
  it("WIT-001/P1 the value equals the statement", () => {
    check(
      fc.property(programLike, (script) => agree(witnessProgram(script), oracle.witnessProgram(script))),
      600
    )
  })

  it("WIT-001/P2 what is written as a program is read back", () => {
    check(
      fc.property(
        fc.integer({ min: 0, max: 16 }),
        fc.integer({ min: 2, max: 40 }).chain(bytesOf),
        (v, program) =>
          agree(witnessProgram(join([v === 0 ? 0 : 80 + v, program.length], program)), { version: v, program })
      )
    )
  })

  it("WIT-002/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        edgeBytes(3),
        (scriptSig) =>
          agree(faultName(nativeScriptSigIsEmpty(scriptSig)), scriptSig.length > 0 ? "WIT-002 WITNESS_MALLEATED" : "OK")
      )
    )
  })

  it("WIT-003/P1 the verdict equals the statement", () => {
    const pairs = programScript.chain((script) =>
      fc.tuple(
        fc.oneof(
          fc.constant(pushOf(script)),
          mutated(fc.constant(pushOf(script))),
          fc.constant(join([76, script.length], script)),
          edgeBytes(45)
        ),
        fc.constant(script)
      )
    )
    check(
      fc.property(pairs, ([scriptSig, redeemScript]) =>
        agree(
          faultName(nestedScriptSigIsOnePush(scriptSig, redeemScript)),
          sameBytes(scriptSig, pushOf(redeemScript)) ? "OK" : "WIT-003 WITNESS_MALLEATED_P2SH"
        )),
      400
    )
  })

  it("WIT-004/P1 the verdict equals the statement", () => {
    check(
      fc.property(witnessStack, fc.boolean(), (witness, hadProgram) =>
        agree(
          faultName(witnessIsExpected(witness, hadProgram)),
          witness.length > 0 && !hadProgram ? "WIT-004 WITNESS_UNEXPECTED" : "OK"
        ))
    )
  })

  it("WIT-005/P1 the verdict equals the statement", () => {
    check(
      fc.property(edgeBytes(41), (program) =>
        agree(
          faultName(versionZeroLength(program)),
          [20, 32].includes(program.length) ? "OK" : "WIT-005 WITNESS_PROGRAM_WRONG_LENGTH"
        ))
    )
  })

  it("WIT-006/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        witnessStack,
        (witness) =>
          agree(
            faultName(payToWitnessPublicKeyHash(witness)),
            witness.length === 2 ? "OK" : "WIT-006 WITNESS_PROGRAM_MISMATCH"
          )
      )
    )
  })

  it("WIT-007/P1 the verdict equals the statement", () => {
    const pairs = fc
      .tuple(witnessStack, fc.boolean(), bytesOf(32))
      .map(([witness, fits, other]) => [fits && witness.length > 0 ? sha256(witness.at(-1)!) : other, witness] as const)
    check(
      fc.property(pairs, ([program, witness]) => {
        const statement = witness.length === 0
          ? "WIT-007 WITNESS_PROGRAM_WITNESS_EMPTY"
          : sameBytes(sha256(witness.at(-1)!), program)
          ? "OK"
          : "WIT-007 WITNESS_PROGRAM_MISMATCH"
        agree(faultName(payToWitnessScriptHash(program, witness, nobleCrypto)), statement)
      })
    )
  })

  it("WIT-008/P1 the verdict equals the statement", () => {
    check(
      fc.property(fc.array(edgeBytes(), { maxLength: 5 }), surroundings, (stack, spend) =>
        agree(
          faultName(witnessItemSize(loadedMachine(stack, new Uint8Array(0), "witness_v0", spend))),
          stack.some((item) => item.length > 520) ? "WIT-008 PUSH_SIZE" : "OK"
        ))
    )
  })

  it("WIT-009/P1 the verdict equals the statement", () => {
    check(
      fc.property(stackOfAny(2), surroundings, (stack, spend) => {
        const statement = stack.length !== 1 ? "WIT-009 CLEANSTACK" : truth(stack[0]!) ? "OK" : "WIT-009 EVAL_FALSE"
        agree(faultName(witnessStackIsClean(loadedMachine(stack, new Uint8Array(0), "witness_v0", spend))), statement)
      })
    )
  })

  it("WIT-010/P1 the verdict equals the statement", () => {
    const spends = fc.oneof(
      anySpend,
      signedSpend(["P2WPKH", "P2WSH", "P2WSH-multisig", "P2TR-key", "P2TR-script", "P2TR-add"])
    )
    const programs = fc
      .tuple(fc.nat(16), fc.constantFrom(2, 20, 32, 33))
      .chain(([v, size]) => fc.tuple(fc.constant(v), bytesOf(size)))
    const m = createMachine(nobleCrypto)
    check(
      fc.property(spends, flagSet, fc.boolean(), programs, (frame, flags, nested, [v, bytes]) => {
        const spend = { ...frame, flags }
        const program = oracle.witnessProgram(frame.spent[frame.index]!.script) ?? { version: v, program: bytes }
        const kernel = kernelSpend(spend)
        resetMachine(m, kernel)
        agree(
          faultName(verifyWitnessProgram(m, kernel, program, nested)),
          oracle.verifyProgram(spend, program.version, program.program, nested)
        )
      }),
      400
    )
  })

  it("WIT-011/P1 the verdict equals the statement", () => {
    const stacks = fc.oneof(stackOfAny(), fc.array(edgeBytes(), { maxLength: 3 }))
    check(
      fc.property(
        stacks,
        fc.oneof(anyScript, validScript),
        version,
        surroundings,
        tapscriptContext,
        (stack, script, under, spend, tapscript) => {
          const m = loadedMachine(stack, new Uint8Array(0), under, spend, tapscript)
          agree(
            faultName(executeWitnessScript(m, script, KERNEL_VERSIONS[under])),
            oracle.executeWitnessScript(stack, script, under, spend, tapscript)
          )
        }
      ),
      400
    )
  })
})
