import { nobleCrypto } from "@lockstep/kernel/noble"
import { assert, describe, it } from "vitest"
import { hexOf } from "../../src/hex.ts"
import { mergePsbt } from "../../src/psbt/merge-psbts.ts"
import type { Psbt, PsbtInput, PsbtOutput } from "../../src/psbt/psbt.ts"
import { lockTimeOf, psbtOf, uniqueId, unsignedParts } from "../../src/psbt/unsigned-transaction.ts"
import { addMissing, globalKeyKey, inOrder, leafKey, musigKey, shortestFirst } from "../../src/psbt/sort-keys.ts"

const crypto = nobleCrypto
const bytes = (...values: ReadonlyArray<number>): Uint8Array => Uint8Array.from(values)

const PARTS = {
  version: 2,
  inputs: [{ prevout: { txid: new Uint8Array(32).fill(1), vout: 3 }, script: bytes(), sequence: 7, witness: [] }],
  outputs: [{ value: 5n, script: bytes(0x51) }],
  lockTime: 9
}

const fresh = (version: 0 | 2 = 0): Psbt => psbtOf(PARTS, version)

type Part = PsbtInput | PsbtOutput | Psbt

/** Fields that one of the two may lack, with two values each. */
const FIELDS: {
  readonly [Kind in "input" | "output" | "whole"]: {
    readonly single: ReadonlyArray<string>
    readonly sorted: ReadonlyArray<string>
  }
} = {
  input: {
    single: [
      "nonWitnessUtxo",
      "witnessUtxo",
      "redeemScript",
      "witnessScript",
      "finalScript",
      "finalWitness",
      "taprootKeySignature",
      "taprootInternalKey",
      "taprootMerkleRoot",
      "timeLockTime",
      "heightLockTime"
    ],
    sorted: [
      "partialSignatures",
      "origins",
      "taprootScriptSignatures",
      "taprootScripts",
      "taprootOrigins",
      "musigParticipants",
      "musigNonces",
      "musigPartialSignatures",
      "proprietary",
      "unknown"
    ]
  },
  output: {
    single: ["redeemScript", "witnessScript", "taprootInternalKey"],
    sorted: ["origins", "taprootOrigins", "musigParticipants", "proprietary", "unknown"]
  },
  whole: { single: [], sorted: ["globalKeys", "proprietary", "unknown"] }
}

const partOf = (psbt: Psbt, kind: keyof typeof FIELDS): Part =>
  kind === "input" ? psbt.inputs[0]! : kind === "output" ? psbt.outputs[0]! : psbt

/** Merges two of which a field has these values, and answers what it has then. */
const merged = (kind: keyof typeof FIELDS, name: string, first: unknown, second: unknown): unknown => {
  const [into, from] = [fresh(), fresh()]
  Object.assign(partOf(into, kind), { [name]: first })
  Object.assign(partOf(from, kind), { [name]: second })
  assert.isTrue(mergePsbt(into, from, crypto), name)
  return (partOf(into, kind) as unknown as Record<string, unknown>)[name]
}

describe("merging partially signed transactions", () => {
  for (const kind of ["input", "output"] as const) {
    for (const name of FIELDS[kind].single) {
      it(`adds ${name} of the ${kind} where it is missing, and never replaces it`, () => {
        // Lock times of version 0 count for nothing.
        assert.strictEqual(merged(kind, name, undefined, 8), 8)
        assert.strictEqual(merged(kind, name, 7, 8), 7)
        assert.strictEqual(merged(kind, name, 7, undefined), 7)
      })
    }
  }

  for (const kind of ["input", "output", "whole"] as const) {
    for (const name of FIELDS[kind].sorted) {
      it(`adds to ${name} of the ${kind} what is missing there`, () => {
        const all = merged(kind, name, new Map([["a", 1], ["b", 2]]), new Map([["b", 3], ["c", 4]]))
        assert.deepStrictEqual(all, new Map([["a", 1], ["b", 2], ["c", 4]]))
      })
    }
  }

  it("adds preimages by their kind", () => {
    for (const kind of ["ripemd160", "sha256", "hash160", "hash256"] as const) {
      const [into, from] = [fresh(), fresh()]
      from.inputs[0]!.preimages[kind].set("a", { hash: bytes(1), preimage: bytes(2) })
      assert.isTrue(mergePsbt(into, from, crypto))
      for (const each of ["ripemd160", "sha256", "hash160", "hash256"] as const) {
        assert.strictEqual(into.inputs[0]!.preimages[each].size, each === kind ? 1 : 0)
      }
    }
  })

  it("takes a tree of scripts where there is none", () => {
    const [one, other] = [[{ depth: 0, version: 192, script: bytes(1) }], [{
      depth: 0,
      version: 192,
      script: bytes(2)
    }]]
    assert.strictEqual(merged("output", "taprootTree", [], other), other)
    assert.strictEqual(merged("output", "taprootTree", one, other), one)
  })

  it("adds sequence and lock time of version 2, whose flags are those that both allow", () => {
    const flagsOf = (first: number | undefined, second: number | undefined): number | undefined => {
      const [into, from] = [fresh(2), fresh(2)]
      into.modifiable = first
      from.modifiable = second
      assert.isTrue(mergePsbt(into, from, crypto))
      return into.modifiable
    }
    assert.deepStrictEqual(
      [flagsOf(undefined, undefined), flagsOf(3, undefined), flagsOf(undefined, 7), flagsOf(3, 2), flagsOf(1, 2)],
      [undefined, 0, 4, 2, 0]
    )
    assert.deepStrictEqual([flagsOf(4, 0), flagsOf(0, 4), flagsOf(7, 7), flagsOf(7, 3)], [4, 4, 7, 7])
    const [into, from] = [fresh(2), fresh(2)]
    into.inputs[0]!.sequence = undefined
    from.inputs[0]!.sequence = 11
    into.fallbackLockTime = undefined
    from.fallbackLockTime = 0
    assert.isTrue(mergePsbt(into, from, crypto))
    assert.deepStrictEqual([into.inputs[0]!.sequence, into.fallbackLockTime], [11, 0])
  })

  it("refuses another transaction, another version, and one without a lock time", () => {
    const other = fresh()
    other.outputs[0]!.value = 6n
    assert.isFalse(mergePsbt(fresh(), other, crypto))
    assert.isFalse(mergePsbt(fresh(), fresh(2), crypto))
    const sequence = fresh(2)
    sequence.inputs[0]!.sequence = 0
    const same = fresh(0)
    same.inputs[0]!.sequence = 0
    assert.deepStrictEqual(uniqueId(same, crypto), uniqueId(sequence, crypto))
    assert.isFalse(mergePsbt(same, sequence, crypto), "of one transaction in two versions")
    const stuck = (): Psbt => {
      const psbt = psbtOf({ ...PARTS, inputs: [...PARTS.inputs, ...PARTS.inputs] }, 2)
      psbt.inputs[0]!.heightLockTime = 5
      psbt.inputs[1]!.timeLockTime = 500_000_005
      return psbt
    }
    assert.isFalse(mergePsbt(stuck(), stuck(), crypto))
    assert.isUndefined(unsignedParts(stuck()))
  })
})

describe("the transaction that is to be signed", () => {
  it("has the parts that were given, and the last sequence number where none was", () => {
    assert.deepStrictEqual(unsignedParts(fresh()), PARTS)
    const none = fresh(2)
    none.inputs[0]!.sequence = undefined
    assert.strictEqual(unsignedParts(none)!.inputs[0]!.sequence, 0xffffffff)
    assert.deepStrictEqual(uniqueId(none, crypto), uniqueId(fresh(2), crypto), "version 2 leaves sequence numbers out")
    const zero = fresh(0)
    zero.inputs[0]!.sequence = 0
    assert.notDeepEqual(uniqueId(zero, crypto), uniqueId(fresh(0), crypto))
  })

  it("is locked to the greatest height where all that ask take one, else to the latest time", () => {
    const locked = (
      ...inputs: ReadonlyArray<readonly [height?: number | undefined, time?: number]>
    ): number | undefined => {
      const psbt = psbtOf({ ...PARTS, inputs: inputs.map(() => PARTS.inputs[0]!) }, 2)
      for (const [i, [height, time]] of inputs.entries()) {
        psbt.inputs[i]!.heightLockTime = height
        psbt.inputs[i]!.timeLockTime = time
      }
      return lockTimeOf(psbt)
    }
    assert.strictEqual(locked([], []), 9)
    assert.strictEqual(locked([5], [7, 500_000_000], []), 7)
    assert.strictEqual(locked([5, 500_000_003], [undefined, 500_000_001]), 500_000_003)
    assert.strictEqual(locked([undefined, 500_000_001], [undefined, 500_000_002]), 500_000_002)
    assert.isUndefined(locked([5], [undefined, 500_000_001]))
    const old = fresh(0)
    old.inputs[0]!.heightLockTime = 77
    assert.strictEqual(lockTimeOf(old), 9)
    old.fallbackLockTime = undefined
    assert.strictEqual(lockTimeOf(old), 0)
  })
})

describe("the order of fields", () => {
  it("is that of their keys as texts", () => {
    assert.strictEqual(hexOf(bytes(0, 15, 16, 255)), "000f10ff")
    assert.strictEqual(shortestFirst(bytes(1, 2)), "000000020102")
    assert.isBelow(shortestFirst(bytes(9)).localeCompare(shortestFirst(bytes(0, 0))), 0)
    assert.strictEqual(leafKey(bytes(0xab), 192), "ab.c0")
    assert.isTrue(leafKey(bytes(1), 192) < leafKey(bytes(1, 0), 192), "a script before those it begins")
    const [aggregate, leaf, participant] = [bytes(1), new Uint8Array(32).fill(2), bytes(3)]
    assert.strictEqual(musigKey(aggregate, undefined, participant), `01${"0".repeat(64)}03`)
    assert.strictEqual(musigKey(aggregate, leaf, participant), `01${"02".repeat(32)}03`)
    const extended = Uint8Array.from({ length: 78 }, (_, n) => n)
    assert.strictEqual(
      globalKeyKey(extended, { fingerprint: bytes(1, 2, 3, 4), path: [1, 0x80000000] }),
      `01020304${"00000002"}${"00000001"}${"80000000"}${hexOf(extended.slice(45))}${hexOf(extended.slice(13, 45))}`
    )
    assert.deepStrictEqual(inOrder(new Map([["b", 1], ["c", 2], ["a", 3]])), [3, 1, 2])
    assert.deepStrictEqual(inOrder(new Map([["b", 1]])), [1])
    assert.deepStrictEqual(inOrder(new Map([["b", 1], ["a", 2]])), [2, 1])
    const into = new Map([["a", 1]])
    addMissing(into, new Map([["a", 2], ["b", 3]]))
    assert.deepStrictEqual([...into], [["a", 1], ["b", 3]])
  })
})
