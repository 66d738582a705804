import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { taggedHash } from "@lockstep/kernel/internal/crypto/tagged-hash.ts"
import { spendDigests } from "@lockstep/kernel/internal/sighash/digests.ts"
import { legacySighash, withoutCodeSeparators } from "@lockstep/kernel/internal/sighash/legacy.ts"
import { taprootSighash } from "@lockstep/kernel/internal/sighash/taproot.ts"
import { witnessV0Sighash } from "@lockstep/kernel/internal/sighash/witness-v0.ts"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { edgeBytes, mutated } from "../../arbitraries/bytes.ts"
import { edgeAmount, edgeUint32 } from "../../arbitraries/number.ts"
import { anyScript } from "../../arbitraries/script.ts"
import { hashTypeByte } from "../../arbitraries/signature.ts"
import { anyTransaction, spendFrame, witnessStack } from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import { join, littleEndian } from "../../oracles/byte-string.ts"
import { compactSize } from "../../oracles/compact-size.ts"
import * as hash from "../../oracles/hash.ts"
import { instructionsOf } from "../../oracles/instructions.ts"
import * as oracle from "../../oracles/sighash.ts"
import { lengthPrefixed, serializeOutPoint, serializeOutput } from "../../oracles/transaction.ts"
import { kernelTransaction } from "../../subject/kernel.ts"

const hashType32 = fc.oneof(hashTypeByte, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))
const separators = fc
  .array(fc.oneof(fc.constant(Uint8Array.of(171)), fc.constant(Uint8Array.of(2, 171, 171)), anyScript), {
    maxLength: 4
  })
  .map((parts) => join(...parts))
const scriptCode = fc.oneof(separators, mutated(separators))
const annexHash = fc.constantFrom(new Uint8Array(0), new Uint8Array(32).fill(1), new Uint8Array(32).fill(2))
const leaf = fc.constantFrom(new Uint8Array(0), new Uint8Array(32).fill(1), new Uint8Array(32).fill(3))
const extension = fc.record({ annexHash, leafHash: leaf, separatorInstruction: edgeUint32 })

/** The oracle takes the annex, not its hash; this is the same message with the hash put in directly. */
const naiveTaproot = (
  frame: {
    tx: Parameters<typeof oracle.taprootSighash>[0]
    index: number
    spent: Parameters<typeof oracle.taprootSighash>[2]
  },
  type: number,
  annex: Uint8Array | undefined,
  leafHash: Uint8Array,
  separator: number
): Uint8Array | undefined =>
  oracle.isTaprootHashType(type, frame.tx.outputs.length, frame.index)
    ? oracle.taprootSighash(
      frame.tx,
      frame.index,
      frame.spent,
      type,
      annex,
      leafHash.length > 0 ? { leafHash, separator } : undefined
    )
    : undefined

describe("SHH signature hashes", () => {
  it("SHH-001/P1 the value equals the statement", () => {
    check(
      fc.property(anyTransaction, fc.nat(5), scriptCode, hashType32, (tx, index, code, type) =>
        agree(
          legacySighash(kernelTransaction(tx), index, code, type, {}, nobleCrypto),
          oracle.legacySighash(tx, index, code, type)
        )),
      500
    )
  })

  it("SHH-001/P2 SINGLE without an output at its index gives the number one", () => {
    check(
      fc.property(
        anyTransaction,
        fc.nat(5),
        scriptCode,
        fc.constantFrom(3, 0x83, 0x23, 0xa3),
        (tx, over, code, type) =>
          agree(
            legacySighash(kernelTransaction(tx), tx.outputs.length + over, code, type, {}, nobleCrypto),
            littleEndian(1, 32)
          )
      )
    )
  })

  it("SHH-001/P3 under ANYONECANPAY the other inputs do not matter", () => {
    check(
      fc.property(
        anyTransaction,
        anyTransaction,
        fc.nat(),
        scriptCode,
        fc.constantFrom(0x81, 0x82, 0x83, 0x80, 0xff),
        (tx, other, at, code, type) => {
          const index = at % tx.inputs.length
          const exchanged = {
            ...tx,
            inputs: tx.inputs.map((input, i) => (i === index ? input : other.inputs[i % other.inputs.length]!))
          }
          const [a, b] = [tx, exchanged].map((each) =>
            legacySighash(kernelTransaction(each), index, code, type, {}, nobleCrypto)
          )
          agree(a, b)
        }
      )
    )
  })

  it("SHH-002/P1 the value equals the statement", () => {
    check(
      fc.property(scriptCode, (code) => agree(withoutCodeSeparators(code), oracle.withoutSeparators(code))),
      400
    )
  })

  it("SHH-002/P2 nothing is left to remove the second time", () => {
    check(
      fc.property(scriptCode, (code) => {
        const once = withoutCodeSeparators(code)
        // What follows a cut instruction is not read again as instructions, so only whole ones are asked.
        assert(instructionsOf(once).instructions.every(({ opcode }) => opcode !== 171))
        agree(withoutCodeSeparators(once), once)
      }),
      400
    )
  })

  it("SHH-010/P1 the value equals the statement", () => {
    check(
      fc.property(anyTransaction, fc.nat(), scriptCode, edgeAmount, hashType32, (tx, at, code, amount, type) => {
        const index = at % tx.inputs.length
        agree(
          witnessV0Sighash(kernelTransaction(tx), index, code, amount, type, {}, nobleCrypto),
          oracle.witnessV0Sighash(tx, index, code, amount, type)
        )
      }),
      500
    )
  })

  it("SHH-010/P2 two amounts never give one hash", () => {
    check(
      fc.property(anyTransaction, scriptCode, edgeAmount, edgeAmount, hashTypeByte, (tx, code, a, b, type) => {
        const hashOf = (amount: bigint): Uint8Array =>
          witnessV0Sighash(kernelTransaction(tx), 0, code, amount, type, {}, nobleCrypto)
        agree(Buffer.compare(hashOf(a), hashOf(b)) === 0, a === b)
      })
    )
  })

  it("SHH-020/P1 the value equals the statement", () => {
    const annexes = fc.option(
      fc.uint8Array({ maxLength: 300 }).map((rest) => join([0x50], rest)),
      { nil: undefined }
    )
    check(
      fc.property(spendFrame, hashTypeByte, annexes, leaf, edgeUint32, (frame, type, annex, leafHash, separator) => {
        const given = {
          annexHash: annex ? hash.sha256(join(compactSize(annex.length), annex)) : new Uint8Array(0),
          leafHash,
          separatorInstruction: separator
        }
        agree(
          taprootSighash(kernelTransaction(frame.tx), frame.index, frame.spent, type, given, {}, nobleCrypto),
          naiveTaproot(frame, type, annex, leafHash, separator)
        )
      }),
      500
    )
  })

  it("SHH-020/P2 annex, leaf and separator are committed to", () => {
    check(
      fc.property(spendFrame, fc.constantFrom(0, 1, 2, 0x81, 0x82), extension, extension, (frame, type, a, b) => {
        const hashOf = (given: typeof a): Uint8Array =>
          taprootSighash(kernelTransaction(frame.tx), frame.index, frame.spent, type, given, {}, nobleCrypto)!
        const same = Buffer.compare(a.annexHash, b.annexHash) === 0 &&
          Buffer.compare(a.leafHash, b.leafHash) === 0 &&
          (a.leafHash.length === 0 || a.separatorInstruction === b.separatorInstruction)
        agree(Buffer.compare(hashOf(a), hashOf(b)) === 0, same)
      }),
      300
    )
  })

  it("SHH-030/P1 the value equals the statement", () => {
    const programs = fc.constantFrom(
      join([0x51, 32], new Uint8Array(32)),
      join([0x51, 33], new Uint8Array(33)),
      join([0, 32], new Uint8Array(32)),
      new Uint8Array(34)
    )
    check(
      fc.property(
        spendFrame,
        fc.array(fc.tuple(witnessStack, programs), { minLength: 3, maxLength: 3 }),
        ({ tx: bare, spent: some }, inputs) => {
          const tx = { ...bare, inputs: bare.inputs.map((input, i) => ({ ...input, witness: inputs[i]![0] })) }
          const spent = some.map((output, i) => ({ ...output, script: inputs[i]![1] }))
          const isTaproot = spent.map(({ script }) => script.length === 34 && script[0] === 0x51 && script[1] === 32)
          const outputs = join(...tx.outputs.map(serializeOutput))
          const outpoints = join(...tx.inputs.map(serializeOutPoint))
          const sequences = join(...tx.inputs.map((input) => littleEndian(input.sequence, 4)))
          const has = (test: (i: number) => boolean): boolean => tx.inputs.some((_, i) => test(i))
          const bareInput = (input: (typeof tx.inputs)[number]): Uint8Array =>
            join(serializeOutPoint(input), [0], littleEndian(input.sequence, 4))
          agree(spendDigests(kernelTransaction(tx), spent, nobleCrypto), {
            ...(has((i) => tx.inputs[i]!.witness.length === 0) && {
              legacy: { inputs: join(...tx.inputs.map(bareInput)), outputs }
            }),
            ...(has((i) => tx.inputs[i]!.witness.length > 0 && !isTaproot[i]) && {
              witnessV0: {
                prevouts: hash.sha256d(outpoints),
                sequences: hash.sha256d(sequences),
                outputs: hash.sha256d(outputs)
              }
            }),
            ...(has((i) => tx.inputs[i]!.witness.length > 0 && isTaproot[i]!) && {
              taproot: {
                prevouts: hash.sha256(outpoints),
                amounts: hash.sha256(join(...spent.map(({ value }) => littleEndian(value, 8)))),
                scripts: hash.sha256(join(...spent.map(({ script }) => lengthPrefixed(script)))),
                sequences: hash.sha256(sequences),
                outputs: hash.sha256(outputs)
              }
            })
          })
        }
      )
    )
  })

  it("SHH-030/P2 a signature hash is the same with digests and with none", () => {
    check(
      fc.property(
        spendFrame,
        fc.array(fc.tuple(witnessStack, fc.boolean()), { minLength: 3, maxLength: 3 }),
        scriptCode,
        hashTypeByte,
        extension,
        (frame, inputs, code, type, given) => {
          const tx = kernelTransaction({
            ...frame.tx,
            inputs: frame.tx.inputs.map((input, i) => ({ ...input, witness: inputs[i]![0] }))
          })
          const spent = frame.spent.map((output, i) =>
            inputs[i]![1] ? { ...output, script: join([0x51, 32], new Uint8Array(32)) } : output
          )
          const digests = spendDigests(tx, spent, nobleCrypto)
          const hashes = (with_: typeof digests): ReadonlyArray<unknown> => [
            legacySighash(tx, frame.index, code, type, with_, nobleCrypto),
            witnessV0Sighash(tx, frame.index, code, 5n, type, with_, nobleCrypto),
            taprootSighash(tx, frame.index, spent, type, given, with_, nobleCrypto)
          ]
          agree(hashes(digests), hashes({}))
        }
      ),
      300
    )
  })

  it("SHH-031/P1 the value equals the statement", () => {
    check(
      fc.property(
        fc.constantFrom("TapLeaf" as const, "TapBranch" as const, "TapTweak" as const, "TapSighash" as const),
        edgeBytes(),
        (tag, message) => agree(taggedHash(nobleCrypto, tag, message), hash.taggedHash(tag, message))
      )
    )
  })

  it("SHH-031/P2 one message has different hashes under different tags", () => {
    check(
      fc.property(edgeBytes(), (message) => {
        const hashes = (["TapLeaf", "TapBranch", "TapTweak", "TapSighash"] as const).map((tag) =>
          Buffer.from(taggedHash(nobleCrypto, tag, message)).toString("hex")
        )
        agree(new Set(hashes).size, 4)
      })
    )
  })
})
