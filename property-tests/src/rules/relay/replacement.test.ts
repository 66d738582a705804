import * as packages from "@lockstep/kernel/internal/relay/package-replacement.ts"
import { checkTerms, replacementTerms } from "@lockstep/kernel/internal/relay/replacement-mode.ts"
import * as terms from "@lockstep/kernel/internal/relay/replacement-terms.ts"
import * as replacing from "@lockstep/kernel/internal/relay/replacement.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { realRate, setRate } from "../../arbitraries/relay.ts"
import { check } from "../../check.ts"
import { feeForSize, firstBroken, type NaiveRate } from "../../oracles/relay.ts"
import type { NaiveTransaction } from "../../oracles/transaction.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const says = (verdict: Verdict<unknown>, holds: boolean, rule: string): void =>
  agree(verdictName(verdict), holds ? "OK" : rule)

const clusters = fc.constantFrom(0, 1, 2, 99, 100, 101, 5_000)
const fee = fc.bigInt({ min: -3n, max: 60n })
const comparison = fc.constantFrom<replacing.DiagramComparison>("better", "equal", "worse", "incomparable")
const bytes = fc.integer({ min: 1, max: 300 })
const replacement: Arbitrary<replacing.Replacement> = fc.record({ fee, size: bytes, clusters, removedFees: fee })

type Rules = Array<readonly [string, () => boolean]>

const isAbove = (a: NaiveRate, b: NaiveRate): boolean => a.fee * BigInt(b.size) > b.fee * BigInt(a.size)

const paysForAll = (given: replacing.Replacement, rate: NaiveRate): boolean =>
  given.fee >= given.removedFees && given.fee - given.removedFees >= feeForSize(rate, given.size)

describe("POL replacement", () => {
  it("POL-110/P1 the verdict equals the statement", () =>
    check(fc.property(clusters, (n) => says(replacing.conflictingClustersAreFew(n), n <= 100, "POL-110"))))

  it("POL-111/P1 the verdict equals the statement", () =>
    check(fc.property(fee, fee, (own, gone) => says(replacing.conflictsArePaid(own, gone), own >= gone, "POL-111"))))

  it("POL-112/P1 the verdict equals the statement", () =>
    check(
      fc.property(fee, bytes, setRate, (added, size, rate) =>
        says(replacing.addedRelayIsPaid(added, size, rate), added >= feeForSize(rate, size), "POL-112")),
      300
    ))

  it("POL-113/P1 the verdict equals the statement", () =>
    check(fc.property(comparison, (each) => says(replacing.diagramImproves(each), each === "better", "POL-113"))))

  it("POL-114/P1 the verdict is that of the first rule that does not hold", () =>
    check(
      fc.property(replacement, fc.constantFrom({ fee: 100n, size: 1000 }, { fee: 0n, size: 1 }), (given, rate) => {
        const wanted = firstBroken([
          ["POL-110", () => given.clusters <= 100],
          ["POL-111", () => given.fee >= given.removedFees],
          ["POL-112", () => given.fee - given.removedFees >= feeForSize(rate, given.size)]
        ])
        agree(verdictName(replacing.checkReplacement(given, rate)), wanted)
      }),
      500
    ))

  it("POL-115/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(4), fc.boolean(), (count, isChild) =>
        says(packages.isParentAndChild(count, isChild), count === 2 && isChild, "POL-115"))
    ))

  it("POL-116/P1 the verdict equals the statement", () =>
    check(fc.property(fc.nat(3), (n) => says(packages.packageHasNoPooledParents(n), n === 0, "POL-116"))))

  it("POL-117/P1 the verdict equals the statement", () =>
    check(fc.property(clusters, (n) => says(packages.packageClustersAreFew(n), n <= 100, "POL-117"))))

  it("POL-118/P1 the verdict equals the statement", () =>
    check(
      fc.property(replacement, setRate, (given, rate) =>
        says(packages.packagePaysForReplacing(given, rate), paysForAll(given, rate), "POL-118")),
      400
    ))

  it("POL-120/P1 the verdict equals the statement", () =>
    check(
      fc.property(realRate, realRate, fc.boolean(), (all, parent, same) =>
        says(packages.childPaysForParent(all, same ? all : parent), !same && isAbove(all, parent), "POL-120")),
      300
    ))

  it("POL-121/P1 the verdict equals the statement", () =>
    check(fc.property(comparison, (each) => says(packages.packageDiagramImproves(each), each === "better", "POL-121"))))

  it("POL-122/P1 the verdict is that of the first rule that does not hold", () => {
    const given = fc.record({
      fee,
      size: bytes,
      clusters,
      removedFees: fee,
      count: fc.constantFrom(2, 2, 2, 1, 3),
      isChildWithParents: fc.constantFrom(true, true, false),
      pooledParents: fc.constantFrom(0, 0, 1),
      parent: fc.record({ fee: fc.bigInt({ min: 0n, max: 30n }), size: bytes })
    })
    check(
      fc.property(given, fc.constantFrom({ fee: 100n, size: 1000 }, { fee: 0n, size: 1 }), (each, rate) => {
        const wanted = firstBroken([
          ["POL-115", () => each.count === 2 && each.isChildWithParents],
          ["POL-116", () => each.pooledParents === 0],
          ["POL-117", () => each.clusters <= 100],
          ["POL-118", () => paysForAll(each, rate)],
          ["POL-120", () => isAbove({ fee: each.fee, size: each.size }, each.parent)]
        ])
        agree(verdictName(packages.checkPackageReplacement(each, rate)), wanted)
      }),
      800
    )
  })
})

const maybe = <T>(values: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(values, { nil: undefined })

const conflict: Arbitrary<NaiveTransaction> = fc
  .array(fc.constantFrom(0xffffffff, 0xfffffffe, 0xfffffffd, 0), { minLength: 1, maxLength: 3 })
  .map((sequences) => ({
    version: 2,
    inputs: sequences.map((sequence, vout) => ({
      txid: new Uint8Array(32),
      vout,
      script: new Uint8Array(0),
      sequence,
      witness: []
    })),
    outputs: [],
    lockTime: 0
  }))

const conflicts = fc.array(conflict, { maxLength: 3 })

const doesSignal = (all: ReadonlyArray<NaiveTransaction>): boolean =>
  all.every(({ inputs }) => inputs.some(({ sequence }) => sequence < 0xfffffffe))

const sum: Arbitrary<NaiveRate> = fc.record({ fee: fc.bigInt({ min: 0n, max: 500n }), size: bytes })

const exceeds = (own: NaiveRate, gone: NaiveRate, factor: number): boolean =>
  factor === 0 || own.fee * BigInt(gone.size) * 1000n > gone.fee * BigInt(own.size) * BigInt(factor)

const factor = fc.constantFrom(0, 1000, 1050, 2000)
const bump = maybe(fc.bigInt({ min: 0n, max: 20n }))
const small = fc.nat(4)

describe("POL modes of replacement", () => {
  it("POL-130/P1 the verdict equals the statement", () =>
    check(
      fc.property(conflicts, (all) =>
        says(terms.conflictsSignal(all.map(kernelTransaction)), doesSignal(all), "POL-130")),
      300
    ))

  it("POL-131/P1 the verdict equals the statement", () =>
    check(
      fc.property(sum, sum, factor, (own, gone, times) =>
        says(terms.rateIsExceeded(own, gone, times), exceeds(own, gone, times), "POL-131")),
      400
    ))

  it("POL-132/P1 the verdict equals the statement", () =>
    check(
      fc.property(fee, bump, (added, least) =>
        says(terms.bumpIsExceeded(added, least), least === undefined || added > least, "POL-132")),
      300
    ))

  it("POL-133/P1 the verdict equals the statement", () =>
    check(
      fc.property(small, maybe(small), (n, limit) =>
        says(terms.replacementsAreFew(n, limit), limit === undefined || n < limit, "POL-133"))
    ))

  it("POL-134/P1 the verdict equals the statement", () =>
    check(
      fc.property(maybe(small), small, (waited, cooldown) =>
        says(terms.cooldownIsOver(waited, cooldown), waited === undefined || waited >= cooldown, "POL-134"))
    ))

  it("POL-135/P1 the verdict equals the statement", () =>
    check(
      fc.property(maybe(small), small, (n, needed) =>
        says(terms.addedInputsAreConfirmed(n, needed), n === undefined || n >= needed, "POL-135"))
    ))

  const facts = fc.record({
    conflicts,
    own: sum,
    removed: sum,
    replacements: small,
    waited: maybe(small),
    confirmations: maybe(fc.nat(1))
  })

  it("POL-136/P1 the verdict is that of the first rule that does not hold", () => {
    const asked = fc.record({
      allowed: fc.constant(true),
      packages: fc.constant(true),
      diagram: fc.constant(true),
      signalling: fc.boolean(),
      rateFactor: factor,
      bump,
      maxReplacements: maybe(small),
      cooldown: small,
      confirmations: fc.nat(1)
    })
    check(
      fc.property(facts, asked, (given, t) => {
        const rules: Rules = [
          ["POL-130", () => !t.signalling || doesSignal(given.conflicts)],
          ["POL-135", () => given.confirmations === undefined || given.confirmations >= t.confirmations],
          ["POL-133", () => t.maxReplacements === undefined || given.replacements < t.maxReplacements],
          ["POL-134", () => given.waited === undefined || given.waited >= t.cooldown],
          ["POL-131", () => exceeds(given.own, given.removed, t.rateFactor)],
          ["POL-132", () => t.bump === undefined || given.own.fee - given.removed.fee > t.bump]
        ]
        const verdict = checkTerms({ ...given, conflicts: given.conflicts.map(kernelTransaction) }, t)
        agree(verdictName(verdict), firstBroken(rules))
      }),
      1_000
    )
  })

  it("POL-136/P2 the terms of the standard mode ask for nothing", () =>
    check(
      fc.property(facts, (given) => {
        const asked = replacementTerms("standard")
        agree(verdictName(checkTerms({ ...given, conflicts: given.conflicts.map(kernelTransaction) }, asked)), "OK")
        agree([asked.allowed, asked.packages, asked.diagram], [true, true, true])
      })
    ))

  it("POL-137/P1 the value equals the statement", () => {
    const modes: ReadonlyArray<terms.ReplacementMode> = ["disabled", "conservative", "standard", "aggressive"]
    check(
      fc.property(fc.nat(3), (i) =>
        agree(replacementTerms(modes[i]!), {
          allowed: i > 0,
          packages: [false, false, true, true][i],
          diagram: i !== 3,
          signalling: i === 1,
          rateFactor: [0, 2000, 0, 1050][i],
          bump: [undefined, 5000n, undefined, 500n][i],
          maxReplacements: [undefined, 3, undefined, 10][i],
          cooldown: [0, 300, 0, 60][i],
          confirmations: i === 1 ? 1 : 0
        })),
      20
    )
  })
})
