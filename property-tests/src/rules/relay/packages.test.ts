import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import * as shape from "@lockstep/kernel/internal/relay/package-shape.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { bytesOf } from "../../arbitraries/bytes.ts"
import { check } from "../../check.ts"
import { join, toHex } from "../../oracles/byte-string.ts"
import { sha256 } from "../../oracles/hash.ts"
import { firstBroken } from "../../oracles/relay.ts"
import { type NaiveTransaction, transactionId, transactionWeight } from "../../oracles/transaction.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const says = (verdict: Verdict<unknown>, holds: boolean, rule: string): void =>
  agree(verdictName(verdict), holds ? "OK" : rule)

/** What one transaction of a package spends: earlier ones by index, or outputs from outside. */
interface Draft {
  readonly parents: ReadonlyArray<number>
  readonly outside: ReadonlyArray<readonly [id: number, vout: number]>
  readonly size: number
}

const draft: Arbitrary<Draft> = fc.record({
  parents: fc.array(fc.nat(4), { maxLength: 2 }),
  outside: fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.nat(1)), { maxLength: 2 }),
  size: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(33_000, 50_000) })
})

const made = (drafts: ReadonlyArray<Draft>): ReadonlyArray<NaiveTransaction> => {
  const all: Array<NaiveTransaction> = []
  for (const { outside, parents, size } of drafts) {
    const prevouts = [
      ...parents.filter((i) => i < all.length).map((i) => ({ txid: transactionId(all[i]!), vout: all.length })),
      ...outside.map(([id, vout]) => ({ txid: new Uint8Array(32).fill(id), vout }))
    ]
    all.push({
      version: 2,
      inputs: prevouts.map((prevout) => ({ ...prevout, script: new Uint8Array(size), sequence: 0, witness: [] })),
      outputs: [{ value: 1n, script: new Uint8Array(0) }],
      lockTime: 0
    })
  }
  return all
}

const packageOf = (most: number): Arbitrary<ReadonlyArray<NaiveTransaction>> =>
  fc.tuple(fc.array(draft, { minLength: 1, maxLength: most }), fc.nat(9), fc.nat(20)).map(([drafts, swap, repeat]) => {
    const all = [...made(drafts)]
    if (swap < all.length) all.unshift(...all.splice(swap, 1))
    if (repeat < all.length) all.push(all[repeat]!)
    return all
  })

const anyPackage = packageOf(5)

const kernelMembers = (all: ReadonlyArray<NaiveTransaction>): ReadonlyArray<shape.PackageMember> =>
  all.map((tx) => ({ tx: kernelTransaction(tx), txid: transactionId(tx) }))

const idsOf = (all: ReadonlyArray<NaiveTransaction>): ReadonlyArray<string> => all.map((tx) => toHex(transactionId(tx)))
const spentBy = ({ inputs }: NaiveTransaction): ReadonlyArray<string> => inputs.map(({ txid }) => toHex(txid))
const outpointsOf = ({ inputs }: NaiveTransaction): ReadonlyArray<string> => [
  ...new Set(inputs.map(({ txid, vout }) => `${toHex(txid)}:${vout}`))
]

const isSorted = (all: ReadonlyArray<NaiveTransaction>): boolean => {
  const ids = idsOf(all)
  return all.every((tx, i) => ids.slice(i + 1).every((id) => !spentBy(tx).includes(id)))
}

const isConsistent = (all: ReadonlyArray<NaiveTransaction>): boolean => {
  const outpoints = all.flatMap(outpointsOf)
  return new Set(outpoints).size === outpoints.length && all.every(({ inputs }) => inputs.length > 0)
}

const weightOf = (all: ReadonlyArray<NaiveTransaction>): number =>
  all.reduce((total, tx) => total + transactionWeight(tx), 0)

describe("POL packages", () => {
  it("POL-140/P1 the verdict equals the statement", () =>
    check(fc.property(fc.nat(50), (count) => says(shape.packageCountIsSmall(count), count <= 25, "POL-140"))))

  it("POL-141/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(3), fc.integer({ min: 403_998, max: 404_002 }), (count, weight) =>
        says(shape.packageWeightIsSmall(count, weight), count <= 1 || weight <= 404_000, "POL-141"))
    ))

  it("POL-142/P1 the verdict equals the statement", () =>
    check(
      fc.property(anyPackage, (all) =>
        says(shape.packageHasNoDuplicates(kernelMembers(all)), new Set(idsOf(all)).size === all.length, "POL-142")),
      300
    ))

  it("POL-143/P1 the verdict equals the statement", () =>
    check(
      fc.property(anyPackage, (all) => says(shape.packageIsSorted(kernelMembers(all)), isSorted(all), "POL-143")),
      300
    ))

  it("POL-144/P1 the verdict equals the statement", () =>
    check(
      fc.property(anyPackage, (all) =>
        says(shape.packageHasNoConflicts(kernelMembers(all)), isConsistent(all), "POL-144")),
      300
    ))

  it("POL-145/P1 the verdict is that of the first rule that does not hold", () =>
    check(
      fc.property(fc.oneof({ weight: 9, arbitrary: anyPackage }, { weight: 1, arbitrary: packageOf(26) }), (all) => {
        const wanted = firstBroken([
          ["POL-140", () => all.length <= 25],
          ["POL-141", () => all.length === 1 || weightOf(all) <= 404_000],
          ["POL-142", () => new Set(idsOf(all)).size === all.length],
          ["POL-143", () => isSorted(all)],
          ["POL-144", () => isConsistent(all)]
        ])
        agree(verdictName(shape.checkPackage(kernelMembers(all))), wanted)
      }),
      400
    ))

  const several = anyPackage.filter(({ length }) => length > 1)

  it("POL-146/P1 the verdict equals the statement", () =>
    check(
      fc.property(several, (all) => {
        const spent = spentBy(all.at(-1)!)
        const holds = idsOf(all.slice(0, -1)).every((id) => spent.includes(id))
        says(shape.packageIsChildWithParents(kernelMembers(all)), holds, "POL-146")
      }),
      300
    ))

  it("POL-147/P1 the verdict equals the statement", () =>
    check(
      fc.property(several, (all) => {
        const parents = all.slice(0, -1)
        const ids = idsOf(parents)
        const holds = parents.flatMap(spentBy).every((id) => !ids.includes(id))
        says(shape.parentsAreIndependent(kernelMembers(all)), holds, "POL-147")
      }),
      300
    ))

  const ids = fc.array(
    fc.oneof(bytesOf(32), fc.tuple(fc.nat(2), fc.nat(2)).map(([a, b]) => join([a], new Uint8Array(30), [b]))),
    { minLength: 1, maxLength: 5 }
  )

  it("POL-148/P1 the value equals the statement", () =>
    check(
      fc.property(ids, (all) => {
        const shown = all.map((id) => ({ id, text: toHex(id.toReversed()) })).toSorted((
          a,
          b
        ) => (a.text < b.text ? -1 : 1))
        agree(shape.packageHash(all, nobleCrypto), sha256(join(...shown.map(({ id }) => id))))
      }),
      300
    ))

  it("POL-148/P2 the order makes no difference", () =>
    check(
      fc.property(ids, (all) =>
        agree(shape.packageHash(all, nobleCrypto), shape.packageHash(all.toReversed(), nobleCrypto)))
    ))
})
