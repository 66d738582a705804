import { checkHeader } from "@lockstep/kernel/internal/header/check-header.ts"
import {
  bitsAreRequired,
  periodStartIsNotWarped,
  timeIsAfterMedian,
  timeIsNotTooNew,
  versionIsSupported
} from "@lockstep/kernel/internal/header/contextual.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyTree, chainIn, chainTo, forwardTree, retargetedTree, withIndex } from "../../arbitraries/header-tree.ts"
import { edgeUint32 } from "../../arbitraries/number.ts"
import { heightsUpTo, networkUpTo } from "../../arbitraries/parameters.ts"
import { anyBits, workParameters } from "../../arbitraries/work.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/header.ts"
import { kernelChain, kernelHeader, kernelParameters } from "../../subject/chain.ts"
import { verdictName } from "../../subject/kernel.ts"
import { kernelTree } from "../../subject/tree.ts"

const LENGTH = 26

/**
 * A header for the next block of a chain: times near every bound, the required bits or others, versions near theirs.
 */
const nextOf = (chain: oracle.NaiveChain, work: oracle.NaiveWorkParameters): Arbitrary<oracle.NaiveHeader> => {
  const parent = chain.at(-1)!
  const bounds = [oracle.medianTimePast(chain), parent.time, parent.time - 600, parent.time + 2 * work.targetSpacing]
  const time = fc.oneof(
    fc.tuple(fc.constantFrom(...bounds), fc.constantFrom(-1, 0, 1)).map(([at, by]) => Math.max(0, at + by)),
    edgeUint32
  )
  const version = fc.oneof(
    fc.integer({ min: -1, max: 5 }),
    fc.constantFrom(-0x80000000, 0x7fffffff, 0x20000000),
    fc.integer({ min: -0x80000000, max: 0x7fffffff })
  )
  return fc
    .tuple(time, version, fc.oneof(fc.constant(undefined), fc.constant(parent.bits), anyBits))
    .map(([at, signed, bits]) => ({
      ...parent,
      version: signed,
      time: at,
      bits: bits ?? oracle.requiredBits(chain, at, work)
    }))
}

interface Place {
  readonly work: oracle.NaiveWorkParameters
  readonly heights: oracle.NaiveHeights
  readonly chain: oracle.NaiveChain
  readonly header: oracle.NaiveHeader
  readonly now: number
}

/** A header to be judged on top of some chain of some network, by a clock near its time. */
const place: Arbitrary<Place> = fc
  .tuple(workParameters(7), heightsUpTo(LENGTH))
  .chain(([work, heights]) =>
    chainIn(retargetedTree(LENGTH, work)).chain((chain) =>
      nextOf(chain, work).chain((header) =>
        fc
          .oneof(fc.constantFrom(-7_201, -7_200, -7_199, 0, 100_000), fc.integer({ min: -10_000, max: 10_000 }))
          .map((by) => ({ work, heights, chain, header, now: Math.max(0, header.time + by) }))
      )
    )
  )

const expected = (rule: string, { header, chain, now, work, heights }: Place): string =>
  oracle.HEADER_RULES.find(([id]) => id === rule)![1](header, chain, now, work, heights) ? "OK" : rule

describe("HDR headers in context", () => {
  it("HDR-001/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        place,
        (at) =>
          agree(
            verdictName(bitsAreRequired(kernelHeader(at.header), kernelChain(at.chain), at.work)),
            expected("HDR-001", at)
          )
      ),
      400
    )
  })

  it("HDR-002/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        place,
        (at) =>
          agree(verdictName(timeIsAfterMedian(kernelHeader(at.header), kernelChain(at.chain))), expected("HDR-002", at))
      )
    )
  })

  it("HDR-002/P2 under this rule the median never goes back", () => {
    check(
      fc.property(forwardTree(40), (tree) => {
        for (const node of kernelTree(tree)) {
          if (node.parent !== undefined) assert(medianTimePast(node) >= medianTimePast(node.parent))
        }
      }),
      100
    )
  })

  it("HDR-003/P1 the verdict equals the statement", () => {
    check(
      fc.property(place, (at) =>
        agree(
          verdictName(periodStartIsNotWarped(kernelHeader(at.header), kernelChain(at.chain), at.work)),
          expected("HDR-003", at)
        )),
      400
    )
  })

  it("HDR-004/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        place,
        (at) => agree(verdictName(timeIsNotTooNew(kernelHeader(at.header), at.now)), expected("HDR-004", at))
      )
    )
  })

  it("HDR-004/P2 what holds at one time holds at every later time", () => {
    check(
      fc.property(place, edgeUint32, ({ header, now }, later) => {
        const holds = verdictName(timeIsNotTooNew(kernelHeader(header), now)) === "OK"
        if (holds) agree(verdictName(timeIsNotTooNew(kernelHeader(header), now + later)), "OK")
      })
    )
  })

  it("HDR-005/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        place,
        (at) =>
          agree(
            verdictName(versionIsSupported(kernelHeader(at.header), at.chain.length, at.heights)),
            expected("HDR-005", at)
          )
      ),
      400
    )
  })

  it("HDR-006/P1 the value equals the statement", () => {
    check(
      fc.property(
        withIndex(anyTree(30)),
        ([tree, index]) => agree(medianTimePast(kernelTree(tree)[index]!), oracle.medianTimePast(chainTo(tree, index)))
      )
    )
  })

  it("HDR-006/P2 the order in which the same times occur has no influence", () => {
    const shuffled = fc
      .array(edgeUint32, { minLength: 11, maxLength: 11 })
      .chain((times) => fc.tuple(fc.constant(times), fc.shuffledSubarray(times, { minLength: times.length })))
    const chainOf = (times: ReadonlyArray<number>): oracle.NaiveChain =>
      times.map((time) => ({
        version: 1,
        previous: new Uint8Array(32),
        merkleRoot: new Uint8Array(32),
        time,
        bits: 0x207fffff,
        nonce: 0
      }))
    check(
      fc.property(
        shuffled,
        ([times, others]) =>
          agree(medianTimePast(kernelChain(chainOf(times))), medianTimePast(kernelChain(chainOf(others))))
      )
    )
  })

  it("HDR-007/P1 the verdict and the rule it names equal the statement", () => {
    check(
      fc.property(place, networkUpTo(LENGTH), ({ header, chain, now, work, heights }, network) =>
        agree(
          verdictName(
            checkHeader(kernelHeader(header), kernelChain(chain), now, kernelParameters({ ...network, work, heights }))
          ),
          oracle.checkHeader(header, chain, now, work, heights)
        )),
      600
    )
  })
})
