import { clusterIsSmall } from "@lockstep/kernel/internal/relay/cluster.ts"
import * as pool from "@lockstep/kernel/internal/relay/pool-identity.ts"
import * as topology from "@lockstep/kernel/internal/relay/truc-topology.ts"
import * as truc from "@lockstep/kernel/internal/relay/truc.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { check } from "../../check.ts"
import { firstBroken } from "../../oracles/relay.ts"
import { verdictName } from "../../subject/kernel.ts"

const says = (verdict: Verdict<unknown>, holds: boolean, rule: string): void =>
  agree(verdictName(verdict), holds ? "OK" : rule)

const idOf = (n: number): Uint8Array => new Uint8Array(32).fill(n)
const id = fc.nat(6).map(idOf)
const maybeId = fc.option(id, { nil: undefined })
const version = fc.constantFrom(3, 3, 3, 3, 3, 2, 1)
const size = fc.oneof(fc.integer({ min: 998, max: 1_002 }), fc.integer({ min: 9_998, max: 10_002 }), fc.constant(200))

const transaction = (ids: Arbitrary<Uint8Array>): Arbitrary<truc.TrucTransaction> =>
  fc.record({ txid: ids, wtxid: ids, version })

/** Parents of the pool have ids that no member of a package has. */
const parent: Arbitrary<topology.PooledParent> = fc
  .tuple(
    transaction(fc.integer({ min: 20, max: 23 }).map(idOf)),
    fc.constantFrom(1, 1, 1, 2, 3),
    fc.array(fc.record({ txid: fc.integer({ min: 30, max: 33 }).map(idOf), ancestors: fc.constantFrom(2, 2, 3) }), {
      maxLength: 2
    })
  )
  .map(([tx, ancestors, descendants]) => ({ ...tx, ancestors, descendants }))

const parents = fc.oneof(
  fc.constant<ReadonlyArray<topology.PooledParent>>([]),
  parent.map((each) => [each]),
  fc.array(parent, { maxLength: 3 })
)

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a[0] === b[0]

type Rules = Array<readonly [string, () => boolean]>

/** POL-095 as a list of conditions. */
const singleRules = (
  tx: truc.TrucTransaction,
  bytes: number,
  above: ReadonlyArray<topology.PooledParent>,
  conflicts: ReadonlyArray<Uint8Array>
): Rules => {
  const rules: Rules = above.map((each) => ["POL-090", () => (tx.version === 3) === (each.version === 3)])
  if (tx.version !== 3) return rules
  rules.push(["POL-091", () => bytes <= 10_000])
  const [only] = above
  if (only === undefined) return rules
  const replaced = only.descendants.some(({ txid }) => conflicts.some((each) => isSame(each, txid)))
  rules.push(
    ["POL-092", () => above.length === 1 && only.ancestors === 1],
    ["POL-093", () => bytes <= 1_000],
    ["POL-094", () => replaced || only.descendants.length === 0]
  )
  return rules
}

/** POL-096 as a list of conditions. */
const packageRules = (
  tx: topology.TrucMember,
  pooled: ReadonlyArray<topology.PooledParent>,
  members: ReadonlyArray<topology.TrucMember>
): Rules => {
  const spends = (child: topology.TrucMember, txid: Uint8Array): boolean =>
    child.spends.some((each) => isSame(each, txid))
  const packaged = members.slice(0, members.indexOf(tx)).filter(({ txid }) => spends(tx, txid))
  const above: ReadonlyArray<truc.TrucTransaction> = [...pooled, ...packaged]
  if (tx.version !== 3) return above.map((each) => ["POL-090", () => each.version !== 3])
  const rules: Rules = [
    ["POL-091", () => tx.size <= 10_000],
    ["POL-092", () => above.length <= 1 && (pooled[0] === undefined || pooled[0].ancestors === 1)]
  ]
  const [only] = above
  if (only === undefined) return rules
  rules.push(["POL-093", () => tx.size <= 1_000], ["POL-090", () => only.version === 3])
  for (const other of members) {
    if (other === tx) continue
    for (const txid of other.spends) {
      rules.push(["POL-094", () => !isSame(txid, only.txid)], ["POL-092", () => !isSame(txid, tx.txid)])
    }
  }
  rules.push(["POL-094", () => pooled[0] === undefined || pooled[0].descendants.length === 0])
  return rules
}

/** A few transactions that spend from earlier ones and from the pool. */
const packageOf: Arbitrary<ReadonlyArray<topology.TrucMember>> = fc
  .array(fc.tuple(version, size, fc.array(fc.constantFrom(0, 1, 2, 20, 21, 40), { maxLength: 2 })), {
    minLength: 1,
    maxLength: 4
  })
  .map((all) =>
    all.map(([v, bytes, spends], i) => ({
      txid: idOf(i),
      wtxid: idOf(i),
      version: v,
      size: bytes,
      spends: spends.filter((each) => each >= 20 || each < i).map(idOf)
    }))
  )

describe("POL transaction and pool", () => {
  it("POL-085/P1 the verdict equals the statement", () =>
    check(
      fc.property(id, maybeId, (wtxid, pooled) =>
        says(pool.isNotInPool(wtxid, pooled), pooled === undefined || !isSame(wtxid, pooled), "POL-085"))
    ))

  it("POL-086/P1 the verdict equals the statement", () =>
    check(fc.property(maybeId, (pooled) => says(pool.isNotInPoolOtherwise(pooled), pooled === undefined, "POL-086"))))

  it("POL-087/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(3), fc.boolean(), (conflicts, allowed) =>
        says(pool.replacementIsAllowed(conflicts, allowed), conflicts === 0 || allowed, "POL-087"))
    ))

  it("POL-088/P1 the verdict equals the statement", () =>
    check(fc.property(fc.boolean(), (known) => says(pool.outputsAreNotKnown(known), !known, "POL-088"))))

  it("POL-089/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.array(id, { maxLength: 4 }), fc.array(id, { maxLength: 4 }), (ancestors, conflicts) => {
        const replaced = new Set(conflicts.map(([first]) => first))
        says(pool.ancestorsStay(ancestors, conflicts), ancestors.every(([first]) => !replaced.has(first)), "POL-089")
      }),
      300
    ))

  it("POL-100/P1 the verdict equals the statement", () =>
    check(
      fc.property(fc.nat(4), fc.nat(4), fc.nat(4), fc.nat(4), (count, weight, most, heaviest) =>
        says(
          clusterIsSmall(count, weight, { count: most, weight: heaviest }),
          !(count > most || weight > heaviest),
          "POL-100"
        )),
      300
    ))
})

describe("POL topologically restricted transactions", () => {
  const one = transaction(id)

  it("POL-090/P1 the verdict equals the statement", () =>
    check(
      fc.property(one, one, (tx, above) =>
        says(truc.trucIsInherited(tx, above), (tx.version === 3) === (above.version === 3), "POL-090"))
    ))

  it("POL-091/P1 the verdict equals the statement", () =>
    check(fc.property(one, size, (tx, bytes) => says(truc.trucIsSmall(tx, bytes), bytes <= 10_000, "POL-091"))))

  it("POL-092/P1 the verdict equals the statement", () =>
    check(fc.property(one, fc.nat(4), (tx, n) => says(truc.trucAncestorsAreFew(tx, n), n <= 2, "POL-092"))))

  it("POL-093/P1 the verdict equals the statement", () =>
    check(fc.property(one, size, (tx, bytes) => says(truc.trucChildIsSmall(tx, bytes), bytes <= 1_000, "POL-093"))))

  it("POL-094/P1 the verdict equals the statement", () =>
    check(fc.property(one, fc.nat(4), (tx, n) => says(truc.trucDescendantsAreFew(tx, n), n <= 2, "POL-094"))))

  it("POL-095/P1 the verdict is that of the first rule that does not hold", () => {
    const conflicts = fc.array(fc.integer({ min: 30, max: 33 }).map(idOf), { maxLength: 2 })
    check(
      fc.property(
        one,
        size,
        parents,
        conflicts,
        (tx, bytes, above, gone) =>
          agree(
            verdictName(topology.checkTruc(tx, bytes, above, gone)),
            firstBroken(singleRules(tx, bytes, above, gone))
          )
      ),
      1_500
    )
  })

  it("POL-096/P1 the verdict is that of the first rule that does not hold", () =>
    check(
      fc.property(packageOf, fc.nat(3), parents, (members, at, pooled) => {
        const tx = members[at % members.length]!
        const wanted = firstBroken(packageRules(tx, pooled, members))
        agree(verdictName(topology.checkPackageTruc(tx, pooled, members)), wanted)
      }),
      2_000
    ))

  it("POL-097/P1 the value equals the statement", () =>
    check(
      fc.property(parent, (each) => {
        const alone = each.descendants.length === 1 && each.descendants[0]!.ancestors === 2
        agree(topology.evictableSibling(each), alone ? each.descendants[0]!.txid : undefined)
      })
    ))
})
