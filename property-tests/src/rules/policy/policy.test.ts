import { numberIsMinimal, pushIsMinimal } from "@lockstep/kernel/internal/policy/minimal-data.ts"
import { separatorIsAbsent, signatureIsNotInScript } from "@lockstep/kernel/internal/policy/script-code.ts"
import { scriptSigIsPushOnly, stackIsClean } from "@lockstep/kernel/internal/policy/script-sig.ts"
import {
  failedSignatureIsEmpty,
  hashTypeIsDefined,
  publicKeyIsStandardForm,
  signatureIsLowS,
  witnessKeyIsCompressed
} from "@lockstep/kernel/internal/policy/signature.ts"
import {
  ifArgumentIsMinimal,
  leafVersionIsKnown,
  successOpcodeIsAbsent,
  tapscriptKeyTypeIsKnown,
  upgradableNopIsUnused,
  witnessVersionIsKnown
} from "@lockstep/kernel/internal/policy/upgradable.ts"
import type { Fault } from "@lockstep/kernel/internal/script/fault.ts"
import { SigVersion } from "@lockstep/kernel/internal/machine/machine.ts"
import { readInstruction } from "@lockstep/kernel/internal/machine/read-instruction.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { bytesOf, edgeBytes } from "../../arbitraries/bytes.ts"
import { surroundings } from "../../arbitraries/evaluation.ts"
import { flagSet } from "../../arbitraries/flags.ts"
import { publicKeyEncoding } from "../../arbitraries/key.ts"
import { numberOperand, scriptInteger } from "../../arbitraries/number.ts"
import { anyScript, pushInstruction, pushOnlyScript } from "../../arbitraries/script.ts"
import { derOf, signatureNumber, signatureWithHashType } from "../../arbitraries/signature.ts"
import { check } from "../../check.ts"
import { join } from "../../oracles/byte-string.ts"
import { GROUP_ORDER } from "../../oracles/curve.ts"
import { isStrictDer } from "../../oracles/der.ts"
import { instructionAt, isPushOnly } from "../../oracles/instructions.ts"
import { bytesOfNumber, isMinimal } from "../../oracles/script-number.ts"
import { faultName, flagBits, loadedMachine } from "../../subject/kernel.ts"

const version = fc.constantFrom(...Object.values(SigVersion))
const holds = (fault: Fault, breach: boolean, name: string): void => agree(faultName(fault), breach ? name : "OK")

/** A rule that is nothing but its flag. */
const followsFlag = (rule: (flags: number) => Fault, flag: string, name: string): void =>
  check(fc.property(flagSet, (flags) => holds(rule(flagBits(flags)), flags.has(flag), name)))

const strictSignature: Arbitrary<readonly [Uint8Array, bigint]> = fc
  .tuple(signatureNumber, signatureNumber, fc.nat(255))
  .map(([r, s, type]) => [join(derOf(r, s), [type]), r < GROUP_ORDER && s < GROUP_ORDER ? s : 0n] as const)
  .filter(([signature]) => isStrictDer(signature))

describe("POL policy on scripts", () => {
  it("POL-001/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        signatureWithHashType.filter((signature) => signature.length > 0),
        flagSet,
        (signature, flags) =>
          holds(
            hashTypeIsDefined(signature, flagBits(flags)),
            flags.has("STRICTENC") && ![1, 2, 3].includes(signature.at(-1)! % 128),
            "POL-001 SIG_HASHTYPE"
          )
      ),
      500
    )
  })

  it("POL-002/P1 the verdict equals the statement", () => {
    check(
      fc.property(publicKeyEncoding, flagSet, (key, flags) => {
        const standard = (key.length === 33 && (key[0] === 2 || key[0] === 3)) || (key.length === 65 && key[0] === 4)
        holds(publicKeyIsStandardForm(key, flagBits(flags)), flags.has("STRICTENC") && !standard, "POL-002 PUBKEYTYPE")
      }),
      500
    )
  })

  it("POL-003/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        strictSignature,
        flagSet,
        ([signature, s], flags) =>
          holds(
            signatureIsLowS(signature, flagBits(flags)),
            flags.has("LOW_S") && s > GROUP_ORDER / 2n,
            "POL-003 SIG_HIGH_S"
          )
      ),
      500
    )
  })

  it("POL-003/P2 exactly one of s and its negative is low", () => {
    check(
      fc.property(signatureNumber, (s) => {
        if (s <= 0n || s >= GROUP_ORDER) return
        const isLow = (value: bigint): boolean =>
          signatureIsLowS(join(derOf(1n, value), [1]), flagBits(["LOW_S"])) === 0
        agree(isLow(s), !isLow(GROUP_ORDER - s))
      }),
      400
    )
  })

  it("POL-004/P1 the verdict equals the statement", () => {
    const pushes = fc.oneof(
      pushInstruction,
      fc
        .constantFrom(255, 256, 257, 65_535, 65_536)
        .map((size) => join([78, size & 255, (size >> 8) & 255, size >> 16, 0], new Uint8Array(size)))
    )
    check(
      fc.property(pushes, surroundings, (script, spend) => {
        const m = loadedMachine([], script, "base", spend)
        readInstruction(m)
        const { opcode, data } = instructionAt(script, 0)!
        const n = data.length
        const shortest = n === 0
          ? 0
          : n === 1 && data[0]! >= 1 && data[0]! <= 16
          ? 80 + data[0]!
          : n === 1 && data[0] === 0x81
          ? 79
          : n <= 75
          ? n
          : n <= 255
          ? 76
          : n <= 65_535
          ? 77
          : 78
        holds(pushIsMinimal(m), spend.flags.has("MINIMALDATA") && opcode !== shortest, "POL-004 MINIMALDATA")
      }),
      500
    )
  })

  it("POL-005/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        numberOperand,
        flagSet,
        (bytes, flags) =>
          holds(
            numberIsMinimal(bytes, flagBits(flags)),
            flags.has("MINIMALDATA") && !isMinimal(bytes),
            "POL-005 SCRIPTNUM"
          )
      ),
      600
    )
  })

  it("POL-005/P2 what is encoded is minimal", () => {
    check(
      fc.property(
        scriptInteger,
        (n) => agree(faultName(numberIsMinimal(bytesOfNumber(n), flagBits(["MINIMALDATA"]))), "OK")
      ),
      400
    )
  })

  it("POL-006/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        fc.nat(4),
        flagSet,
        (depth, flags) =>
          holds(stackIsClean(depth, flagBits(flags)), flags.has("CLEANSTACK") && depth !== 1, "POL-006 CLEANSTACK")
      )
    )
  })

  it("POL-007/P1 the verdict equals the statement", () => {
    check(
      fc.property(fc.oneof(anyScript, pushOnlyScript), flagSet, (script, flags) =>
        holds(
          scriptSigIsPushOnly(script, flagBits(flags)),
          flags.has("SIGPUSHONLY") && !isPushOnly(script),
          "POL-007 SIG_PUSHONLY"
        )),
      400
    )
  })

  it("POL-008/P1 the verdict equals the statement", () =>
    followsFlag(upgradableNopIsUnused, "DISCOURAGE_UPGRADABLE_NOPS", "POL-008 DISCOURAGE_UPGRADABLE_NOPS"))

  it("POL-009/P1 the verdict equals the statement", () => {
    const programs = fc.oneof(fc.constant(Uint8Array.of(0x4e, 0x73)), bytesOf(2), edgeBytes(40))
    check(
      fc.property(fc.nat(16), programs, fc.boolean(), flagSet, (v, program, nested, flags) => {
        const anchor = v === 1 && program.length === 2 && program[0] === 0x4e && program[1] === 0x73 && !nested
        holds(
          witnessVersionIsKnown(v, program, nested, flagBits(flags)),
          flags.has("DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM") && !anchor,
          "POL-009 DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM"
        )
      }),
      600
    )
  })

  it("POL-010/P1 the verdict equals the statement", () => {
    check(
      fc.property(edgeBytes(3), version, flagSet, (argument, under, flags) => {
        const minimal = argument.length === 0 || (argument.length === 1 && argument[0] === 1)
        holds(
          ifArgumentIsMinimal(argument, under, flagBits(flags)),
          flags.has("MINIMALIF") && under === SigVersion.WITNESS_V0 && !minimal,
          "POL-010 MINIMALIF"
        )
      }),
      600
    )
  })

  it("POL-011/P1 the verdict equals the statement", () => {
    check(
      fc.property(edgeBytes(3), flagSet, (signature, flags) =>
        holds(
          failedSignatureIsEmpty(signature, flagBits(flags)),
          flags.has("NULLFAIL") && signature.length > 0,
          "POL-011 NULLFAIL"
        ))
    )
  })

  it("POL-012/P1 the verdict equals the statement", () => {
    check(
      fc.property(publicKeyEncoding, version, flagSet, (key, under, flags) => {
        const compressed = key.length === 33 && (key[0] === 2 || key[0] === 3)
        holds(
          witnessKeyIsCompressed(key, under, flagBits(flags)),
          flags.has("WITNESS_PUBKEYTYPE") && under === SigVersion.WITNESS_V0 && !compressed,
          "POL-012 WITNESS_PUBKEYTYPE"
        )
      }),
      600
    )
  })

  it("POL-013/P1 the verdict equals the statement", () => {
    check(
      fc.property(fc.oneof(fc.constant(171), fc.nat(255)), version, flagSet, (opcode, under, flags) =>
        holds(
          separatorIsAbsent(opcode, under, flagBits(flags)),
          opcode === 171 && under === SigVersion.BASE && flags.has("CONST_SCRIPTCODE"),
          "POL-013 OP_CODESEPARATOR"
        )),
      400
    )
  })

  it("POL-014/P1 the verdict equals the statement", () =>
    followsFlag(
      leafVersionIsKnown,
      "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION",
      "POL-014 DISCOURAGE_UPGRADABLE_TAPROOT_VERSION"
    ))
  it("POL-015/P1 the verdict equals the statement", () =>
    followsFlag(successOpcodeIsAbsent, "DISCOURAGE_OP_SUCCESS", "POL-015 DISCOURAGE_OP_SUCCESS"))
  it("POL-016/P1 the verdict equals the statement", () =>
    followsFlag(
      tapscriptKeyTypeIsKnown,
      "DISCOURAGE_UPGRADABLE_PUBKEYTYPE",
      "POL-016 DISCOURAGE_UPGRADABLE_PUBKEYTYPE"
    ))

  it("POL-017/P1 the verdict equals the statement", () => {
    check(
      fc.property(anyScript, fc.boolean(), fc.nat(3), flagSet, (given, whole, cut, flags) => {
        const left = whole ? given : given.subarray(cut)
        holds(
          signatureIsNotInScript(given, left, flagBits(flags)),
          flags.has("CONST_SCRIPTCODE") && left.length !== given.length,
          "POL-017 SIG_FINDANDDELETE"
        )
      }),
      400
    )
  })
})
