import { type AssumedBlock, equivalentTime, scriptCheckReason } from "@lockstep/kernel/internal/chain/assumed-valid.ts"
import type { HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyTree } from "../../arbitraries/header-tree.ts"
import { anyBits } from "../../arbitraries/work.ts"
import { check } from "../../check.ts"
import { workOfBits } from "../../oracles/target.ts"
import { kernelTree } from "../../subject/tree.ts"

const TWO_WEEKS = 1_209_600n
const MOST = 9_223_372_036_854_775_807n

/** All the work below a node and its own, added up from block to parent. */
const workTo = (node: HeaderNode | undefined): bigint =>
  node === undefined ? 0n : workOfBits(node.header.bits) + workTo(node.parent)

const naiveTime = (to: HeaderNode, from: HeaderNode, tip: HeaderNode, spacing: number): bigint => {
  const unit = workOfBits(tip.header.bits)
  const [more, less] = [workTo(to), workTo(from)].toSorted((a, b) => (a > b ? -1 : 1))
  const seconds = unit === 0n ? 0n : ((more! - less!) * BigInt(spacing)) / unit
  const bounded = seconds > MOST ? MOST : seconds
  return more === workTo(to) ? bounded : -bounded
}

const isOn = (tip: HeaderNode | undefined, node: HeaderNode): boolean =>
  tip !== undefined && (tip === node || isOn(tip.parent, node))

const naiveReason = (
  node: HeaderNode,
  assumed: AssumedBlock | undefined,
  best: HeaderNode,
  least: bigint,
  spacing: number
): string | undefined => {
  if (assumed === undefined) return "assumevalid=0 (always verify)"
  const { header } = assumed
  if (header === undefined) return "assumevalid hash not in headers"
  const reasons: ReadonlyArray<readonly [applies: boolean, reason: string]> = [
    [node.height > header.height, "block height above assumevalid height"],
    [!isOn(header, node), "block not in assumevalid chain"],
    [!isOn(best, node), "block not in best header chain"],
    [workTo(best) < least, "best header chainwork below minimumchainwork"],
    [naiveTime(best, node, best, spacing) <= TWO_WEEKS, "block too recent relative to best header"]
  ]
  return reasons.find(([applies]) => applies)?.[1]
}

const spacings: Arbitrary<number> = fc.constantFrom(
  600,
  1,
  75,
  604_800,
  604_801,
  1_209_600,
  1_209_601,
  1_209_599,
  10_000_000
)

/** Bits of much the same work, so that the time between two headers is near their distance. */
const likeBits = fc.constantFrom(0x207fffff, 0x207fffff, 0x207fffff, 0x203fffff, 0x2100ffff)

const nodes = fc
  .oneof(anyTree(12, likeBits), anyTree(12, fc.constant(0x207fffff)), anyTree(12, anyBits))
  .map((tree) => kernelTree(tree))

interface Case {
  readonly node: HeaderNode
  readonly assumed: AssumedBlock | undefined
  readonly best: HeaderNode
  readonly least: bigint
  readonly spacing: number
}

const at = <A>(list: ReadonlyArray<A>, i: number): A => list[i % list.length]!

const cases: Arbitrary<Case> = fc
  .tuple(nodes, fc.tuple(fc.nat(), fc.nat(), fc.nat()), fc.nat(9), fc.constantFrom(-1n, 0n, 1n, -5n), spacings)
  .map(([all, [a, b, c], kind, by, spacing]) => {
    const heaviest = all.reduce((x, y) => (workTo(y) > workTo(x) ? y : x))
    const best = kind < 7 ? heaviest : at(all, c)
    const header = at(all, b)
    // Mostly a block that both have below them.
    const shared = all.filter((each) => isOn(best, each) && isOn(header, each))
    return {
      node: kind % 3 === 0 ? at(all, a) : at(shared, a),
      assumed: kind === 8 ? undefined : { header: kind === 9 ? undefined : header },
      best,
      least: workTo(best) + by,
      spacing
    }
  })

const reasonOf = ({ assumed, best, least, node, spacing }: Case): string | undefined =>
  scriptCheckReason(node, assumed, best, least, spacing)

describe("CHN scripts that must be judged", () => {
  it("CHN-006/P1 the value equals the statement", () => {
    check(
      fc.property(nodes, fc.tuple(fc.nat(), fc.nat(), fc.nat()), spacings, (all, [a, b, c], spacing) => {
        const [to, from, tip] = [at(all, a), at(all, b), at(all, c)]
        agree(equivalentTime(to, from, tip, spacing), naiveTime(to, from, tip, spacing))
      }),
      500
    )
  })

  it("CHN-006/P2 exchanging the two changes the sign and nothing else", () => {
    check(
      fc.property(nodes, fc.tuple(fc.nat(), fc.nat(), fc.nat()), spacings, (all, [a, b, c], spacing) => {
        const [to, from, tip] = [at(all, a), at(all, b), at(all, c)]
        agree(equivalentTime(to, from, tip, spacing), -equivalentTime(from, to, tip, spacing))
      }),
      300
    )
  })

  it("CHN-007/P1 the value equals the statement", () => {
    check(
      fc.property(cases, (given) => {
        const { assumed, best, least, node, spacing } = given
        agree(reasonOf(given), naiveReason(node, assumed, best, least, spacing))
      }),
      1_500
    )
  })

  it("CHN-007/P2 where the scripts of a block may be taken to hold, so may those of all its ancestors", () => {
    check(
      fc.property(cases, (given) => {
        if (reasonOf(given) !== undefined) return
        for (let node = given.node.parent; node !== undefined; node = node.parent) {
          agree(reasonOf({ ...given, node }), undefined)
        }
      }),
      500
    )
  })

  it("CHN-007/P3 where a reason is given, one is given also if more work is demanded or the spacing is smaller", () => {
    check(
      fc.property(cases, fc.nat(1_000), fc.nat(1_000_000), (given, more, less) => {
        if (reasonOf(given) === undefined) return
        const stricter = { ...given, least: given.least + BigInt(more), spacing: Math.max(0, given.spacing - less) }
        agree(reasonOf(stricter) === undefined, false)
      }),
      500
    )
  })
})
