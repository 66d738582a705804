import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { YES } from "@lockstep/kernel/internal/script/fault.ts"
import { SigVersion } from "@lockstep/kernel/internal/machine/machine.ts"
import { annexOf } from "@lockstep/kernel/internal/taproot/annex.ts"
import {
  controlBlockSize,
  outputCommitsToLeaf,
  tapLeafHash,
  taprootMerkleRoot
} from "@lockstep/kernel/internal/taproot/control-block.ts"
import { tapscriptStackSize } from "@lockstep/kernel/internal/interpreter/verify-script-path.ts"
import { isSuccessOpcode, scanForSuccess } from "@lockstep/kernel/internal/taproot/success.ts"
import { multisigIsNotTapscript, tapscriptIfArgument } from "@lockstep/kernel/internal/taproot/tapscript-rules.ts"
import { signatureBudget, tapscriptKeyIsNotEmpty } from "@lockstep/kernel/internal/taproot/tapscript-signature.ts"
import { taprootWitnessIsPresent } from "@lockstep/kernel/internal/interpreter/verify-taproot.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { bytesOf, edgeBytes } from "../../arbitraries/bytes.ts"
import { xOnlyKey } from "../../arbitraries/key.ts"
import { anyScript } from "../../arbitraries/script.ts"
import { revealedLeaf, treePath } from "../../arbitraries/taproot.ts"
import { witnessStack } from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import { join } from "../../oracles/byte-string.ts"
import * as oracle from "../../oracles/taproot.ts"
import * as witness from "../../oracles/witness.ts"
import { faultName, outcomeName } from "../../subject/kernel.ts"

const annexed = fc.tuple(witnessStack, fc.uint8Array({ maxLength: 4 })).map((
  [items, rest]
) => [...items, join([0x50], rest)])
const anyWitness = fc.oneof(witnessStack, annexed)
const control = fc.tuple(fc.nat(255), xOnlyKey, treePath).map(([first, key, path]) => join([first], key, ...path))
const successScript = fc.tuple(anyScript, fc.nat(255), anyScript).map(([before, opcode, after]) =>
  join(before, [opcode], after)
)

describe("TAP taproot", () => {
  it("TAP-001/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        anyWitness,
        (items) =>
          agree(
            faultName(taprootWitnessIsPresent(items)),
            items.length === 0 ? "TAP-001 WITNESS_PROGRAM_WITNESS_EMPTY" : "OK"
          )
      )
    )
  })

  it("TAP-002/P1 the value equals the statement", () => {
    check(fc.property(anyWitness, (items) => agree(annexOf(items), witness.annexOf(items))))
  })

  it("TAP-004/P1 the verdict equals the statement, for all lengths", () => {
    for (let size = 0; size < 4300; size++) {
      const holds = size >= 33 && size <= 4129 && (size - 33) % 32 === 0
      agree(faultName(controlBlockSize(new Uint8Array(size))), holds ? "OK" : "TAP-004 TAPROOT_WRONG_CONTROL_SIZE")
    }
  })

  it("TAP-005/P1 the value equals the statement", () => {
    check(
      fc.property(
        fc.nat(255),
        fc.oneof(anyScript, edgeBytes()),
        (version, script) => agree(tapLeafHash(version, script, nobleCrypto), oracle.tapLeafHash(version, script))
      )
    )
  })

  it("TAP-006/P1 the value equals the statement", () => {
    check(
      fc.property(
        control,
        bytesOf(32),
        (block, leaf) => agree(taprootMerkleRoot(block, leaf, nobleCrypto), oracle.rootOfPath(block, leaf))
      )
    )
  })

  it("TAP-006/P2 two siblings lead to one root", () => {
    check(
      fc.property(bytesOf(32), bytesOf(32), bytesOf(33), treePath, (a, b, head, path) =>
        agree(
          taprootMerkleRoot(join(head, b, ...path), a, nobleCrypto),
          taprootMerkleRoot(join(head, a, ...path), b, nobleCrypto)
        ))
    )
  })

  it("TAP-007/P1 the verdict equals the statement", () => {
    const cases = fc.oneof(
      revealedLeaf,
      fc.record({ program: xOnlyKey, control, root: bytesOf(32) }),
      fc.tuple(revealedLeaf, control).map(([leaf, other]) => ({ ...leaf, control: other }))
    )
    check(
      fc.property(cases, ({ program, control: block, root }) =>
        agree(
          faultName(outputCommitsToLeaf(program, block, root, nobleCrypto)),
          oracle.commits(program, block, root) ? "OK" : "TAP-007 WITNESS_PROGRAM_MISMATCH"
        )),
      150
    )
  })

  it("TAP-007/P2 what was built holds, and no longer with one bit flipped", () => {
    check(
      fc.property(revealedLeaf, fc.constantFrom("program", "key", "root", "parity"), fc.nat(255), (leaf, part, bit) => {
        const flip = (bytes: Uint8Array, at: number, mask: number): Uint8Array =>
          bytes.map((byte, i) => (i === at ? byte ^ mask : byte))
        const { program, control: block, root } = leaf
        agree(faultName(outputCommitsToLeaf(program, block, root, nobleCrypto)), "OK")
        const [at, mask] = [bit >> 3, 1 << (bit & 7)]
        const broken = outputCommitsToLeaf(
          part === "program" ? flip(program, at, mask) : program,
          part === "key" ? flip(block, 1 + at, mask) : part === "parity" ? flip(block, 0, 1) : block,
          part === "root" ? flip(root, at, mask) : root,
          nobleCrypto
        )
        agree(faultName(broken), "TAP-007 WITNESS_PROGRAM_MISMATCH")
      }),
      80
    )
  })

  it("TAP-008/P1 the verdict and what it yields equal the statement", () => {
    check(
      fc.property(fc.oneof(successScript, anyScript), (script) => {
        const fault = scanForSuccess(script)
        agree(outcomeName(fault), witness.scanForSuccess(script))
      }),
      500
    )
  })

  it("TAP-008/P2 nothing behind a success opcode matters", () => {
    check(
      fc.property(successScript, anyScript, (script, tail) => {
        if (scanForSuccess(script) === YES) agree(scanForSuccess(join(script, tail)), YES)
      }),
      300
    )
  })

  it("TAP-009/P1 the value equals the statement, for all opcodes", () => {
    for (let opcode = 0; opcode < 256; opcode++) agree(isSuccessOpcode(opcode), oracle.isSuccess(opcode))
  })

  it("TAP-010/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        fc.oneof(fc.integer({ min: 997, max: 1003 }), fc.nat(600_000)),
        (depth) => agree(faultName(tapscriptStackSize(depth)), depth > 1000 ? "TAP-010 STACK_SIZE" : "OK")
      )
    )
  })

  it("TAP-011/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        fc.oneof(fc.integer({ min: -60, max: 60 }), fc.integer()),
        (left) => agree(faultName(signatureBudget(left)), left < 0 ? "TAP-011 TAPSCRIPT_VALIDATION_WEIGHT" : "OK")
      )
    )
  })

  it("TAP-012/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        edgeBytes(40),
        (key) =>
          agree(faultName(tapscriptKeyIsNotEmpty(key)), key.length === 0 ? "TAP-012 TAPSCRIPT_EMPTY_PUBKEY" : "OK")
      )
    )
  })

  it("TAP-013/P1 the verdict equals the statement, for all versions", () => {
    for (const version of Object.values(SigVersion)) {
      agree(
        faultName(multisigIsNotTapscript(version)),
        version === SigVersion.TAPSCRIPT ? "TAP-013 TAPSCRIPT_CHECKMULTISIG" : "OK"
      )
    }
  })

  it("TAP-014/P1 the verdict equals the statement", () => {
    check(
      fc.property(edgeBytes(3), fc.constantFrom(...Object.values(SigVersion)), (argument, version) => {
        const minimal = argument.length === 0 || (argument.length === 1 && argument[0] === 1)
        agree(
          faultName(tapscriptIfArgument(argument, version)),
          version === SigVersion.TAPSCRIPT && !minimal ? "TAP-014 TAPSCRIPT_MINIMALIF" : "OK"
        )
      }),
      400
    )
  })
})
