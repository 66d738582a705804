import { blockWork } from "@lockstep/kernel/internal/work/block-work.ts"
import { compactTarget, expandTarget } from "@lockstep/kernel/internal/work/compact-target.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import { minDifficultyBits, requiredBits, retarget } from "@lockstep/kernel/internal/header/required-work.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { bytesOf } from "../../arbitraries/bytes.ts"
import { anyTree, chainTo, type NaiveTree, retargetedTree, withIndex } from "../../arbitraries/header-tree.ts"
import { edgeUint32 } from "../../arbitraries/number.ts"
import { anyBits, anyTarget, bitsWithTarget, easiestBits, powLimit, workParameters } from "../../arbitraries/work.ts"
import { check } from "../../check.ts"
import { littleEndian } from "../../oracles/byte-string.ts"
import * as oracle from "../../oracles/header.ts"
import { bitsOfTarget, provesWork, targetOfBits, workOfBits } from "../../oracles/target.ts"
import { kernelTree } from "../../subject/tree.ts"
import { verdictName } from "../../subject/kernel.ts"

/** A hash near the target of `bits`, or any. */
const hashNear = (bits: number): Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.constantFrom(-1n, 0n, 1n).map((by) => littleEndian((targetOfBits(bits) ?? 5n) + by, 32)),
    bytesOf(32)
  )

const limitNear = (bits: number): Arbitrary<bigint> =>
  fc.oneof(
    fc.constantFrom(-1n, 0n, 1n).map((by) => (targetOfBits(bits) ?? 5n) + by),
    powLimit
  )

const claimed = anyBits.chain((bits) => fc.tuple(fc.constant(bits), hashNear(bits), limitNear(bits)))

/** Parameters of a network that retargets: no target is above the limit, and the limit leaves room. */
const retargeting = workParameters(2_016).map((work) => ({
  ...work,
  powLimit: work.powLimit < 1n << 226n ? work.powLimit : (1n << 226n) - 1n
}))

/** First time, and last time a period of about the expected length later, or any. */
const period = (timespan: number): Arbitrary<readonly [number, number]> =>
  fc
    .tuple(
      edgeUint32,
      fc.oneof(
        fc
          .tuple(fc.constantFrom(0, 0.25, 1, 4), fc.integer({ min: -2, max: 2 }))
          .map(([of, by]) => Math.floor(timespan * of) + by),
        fc.integer({ min: -timespan, max: 6 * timespan })
      )
    )
    .map(([first, taken]) => [first, Math.max(0, first + taken)])

const retargetInput = retargeting.chain((work) =>
  fc.tuple(fc.constant(work), period(work.targetTimespan), fc.oneof(bitsWithTarget, fc.constant(easiestBits(work))))
)

/** A tree under some parameters, with a header of it and the time of the one to come. */
const inTree = (
  parameters: Arbitrary<oracle.NaiveWorkParameters>
): Arbitrary<readonly [oracle.NaiveWorkParameters, NaiveTree, number, number]> =>
  parameters.chain((work) =>
    withIndex(fc.oneof(retargetedTree(28, work), anyTree(28, fc.oneof(bitsWithTarget, fc.constant(easiestBits(work))))))
      .chain(
        ([tree, index]) =>
          fc
            .constantFrom(0, 1, 2 * work.targetSpacing, 2 * work.targetSpacing + 1, 5_000, -700)
            .map((after) => [work, tree, index, Math.max(0, tree.headers[index]!.time + after)] as const)
      )
  )

const anyPlace = inTree(workParameters(7))
const placeBetweenPeriods = inTree(workParameters(7).map((work) => ({ ...work, allowMinDifficulty: true }))).filter(
  ([work, tree, index]) => chainTo(tree, index).length % (work.targetTimespan / work.targetSpacing) !== 0
)

describe("WRK proof of work", () => {
  it("WRK-001/P1 the value equals the statement", () => {
    check(
      fc.property(anyBits, (bits) => agree(expandTarget(bits), targetOfBits(bits))),
      2_000
    )
  })

  it("WRK-001/P2 every target has bits of its own", () => {
    check(
      fc.property(
        bitsWithTarget,
        (bits) => agree(expandTarget(compactTarget(expandTarget(bits)!)), expandTarget(bits))
      ),
      1_000
    )
  })

  it("WRK-002/P1 the value equals the statement", () => {
    check(
      fc.property(anyTarget, (target) => agree(compactTarget(target), bitsOfTarget(target))),
      2_000
    )
  })

  it("WRK-002/P2 rounds down, once", () => {
    check(
      fc.property(
        anyTarget.filter((target) => target > 0n),
        (target) => {
          const rounded = expandTarget(compactTarget(target))
          assert(rounded !== undefined && rounded <= target)
          agree(compactTarget(rounded), compactTarget(target))
        }
      ),
      1_000
    )
  })

  it("WRK-003/P1 the value equals the statement", () => {
    check(
      fc.property(anyBits, (bits) => agree(blockWork(bits), workOfBits(bits))),
      1_000
    )
  })

  it("WRK-003/P2 a smaller target never stands for less work", () => {
    check(
      fc.property(bitsWithTarget, bitsWithTarget, (a, b) => {
        const [hard, easy] = expandTarget(a)! <= expandTarget(b)! ? [a, b] : [b, a]
        assert(blockWork(hard) >= blockWork(easy))
      }),
      1_000
    )
  })

  it("WRK-004/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        claimed,
        ([bits, hash, limit]) =>
          agree(verdictName(proofOfWork(hash, bits, limit)), provesWork(hash, bits, limit) ? "OK" : "WRK-004")
      ),
      1_000
    )
  })

  it("WRK-004/P2 what is proof under a limit is proof under every easier limit", () => {
    check(
      fc.property(claimed, anyTarget, ([bits, hash, limit], more) => {
        if (verdictName(proofOfWork(hash, bits, limit)) === "OK") {
          agree(verdictName(proofOfWork(hash, bits, limit + more)), "OK")
        }
      }),
      500
    )
  })

  it("WRK-005/P1 the value equals the statement", () => {
    check(
      fc.property(
        retargetInput,
        ([work, [first, last], bits]) =>
          agree(retarget(first, last, bits, work), oracle.retargeted(first, last, bits, work))
      ),
      1_000
    )
  })

  it("WRK-005/P2 the new target is at most four times the old one, and never above the limit", () => {
    check(
      fc.property(retargetInput, ([work, [first, last], bits]) => {
        const target = expandTarget(retarget(first, last, bits, work)) ?? 0n
        assert(target <= 4n * expandTarget(bits)! && target <= work.powLimit)
      }),
      500
    )
  })

  it("WRK-005/P3 a period of exactly the right length leaves a target below the limit as it is", () => {
    check(
      fc.property(retargetInput, ([work, [first], bits]) => {
        if (expandTarget(bits)! > work.powLimit) return
        agree(expandTarget(retarget(first, first + work.targetTimespan, bits, work)), expandTarget(bits))
      }),
      500
    )
  })

  it("WRK-006/P1 the value equals the statement", () => {
    check(
      fc.property(
        placeBetweenPeriods,
        ([work, tree, index, time]) =>
          agree(
            minDifficultyBits(kernelTree(tree)[index]!, time, work),
            oracle.minDifficultyBits(chainTo(tree, index), time, work)
          )
      ),
      400
    )
  })

  it("WRK-006/P2 blocks of another branch have no influence", () => {
    check(
      fc.property(placeBetweenPeriods, ([work, tree, index, time]) => {
        const chain = chainTo(tree, index)
        const alone = kernelTree({ headers: chain, parents: chain.map((_, i) => i - 1) })
        agree(minDifficultyBits(kernelTree(tree)[index]!, time, work), minDifficultyBits(alone.at(-1)!, time, work))
      }),
      200
    )
  })

  it("WRK-007/P1 the value equals the statement", () => {
    check(
      fc.property(
        anyPlace,
        ([work, tree, index, time]) =>
          agree(
            requiredBits(kernelTree(tree)[index]!, time, work),
            oracle.requiredBits(chainTo(tree, index), time, work)
          )
      ),
      600
    )
  })

  it("WRK-007/P2 without minimum difficulty the bits change only where a period begins", () => {
    check(
      fc.property(anyPlace, ([work, tree, index, time]) => {
        const node = kernelTree(tree)[index]!
        if ((node.height + 1) % (work.targetTimespan / work.targetSpacing) === 0) return
        agree(requiredBits(node, time, { ...work, allowMinDifficulty: false }), node.header.bits)
      }),
      200
    )
  })
})
