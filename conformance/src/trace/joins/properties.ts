import type { Finding } from "../finding.ts"
import { isLive, type Rule, type Spec } from "../spec.ts"
import type { PropertyTest, Tests } from "../tests.ts"

type Evidence = ReadonlyMap<string, ReadonlyArray<PropertyTest>>

const finding = (id: string, where: string, what: string): Finding => ({ check: "properties", id, where, what })

const evidenceOf = (tests: ReadonlyArray<PropertyTest>): Evidence => {
  const evidence = new Map<string, Array<PropertyTest>>()
  for (const test of tests) {
    const known = evidence.get(test.id)
    if (known === undefined) evidence.set(test.id, [test])
    else known.push(test)
  }
  return evidence
}

const untested = (rule: Rule, evidence: Evidence, missing: string): ReadonlyArray<Finding> =>
  rule.properties.flatMap(({ id }) => {
    const found = evidence.get(id)
    if (found === undefined) return [finding(id, rule.where, missing)]
    const failed = found.find((test) => test.passed === false)
    return failed === undefined ? [] : [finding(id, failed.where, "its property test did not pass")]
  })

/**
 * Properties against tests, in both directions. With `ran`, the property tests of a run, a property counts only when
 * every test of it passed; without, it is enough that a test is written.
 */
export const propertyFindings = (
  spec: Spec,
  tests: Tests,
  ran: ReadonlyArray<PropertyTest> | undefined
): ReadonlyArray<Finding> => {
  const evidence = evidenceOf(ran ?? tests.properties)
  const missing = ran === undefined ? "no property test" : "no property test ran"
  const rules = [...spec.rules.values()]
  const stated = new Set(rules.flatMap((rule) => rule.properties.map(({ id }) => id)))
  return [
    ...rules.flatMap((rule) => untested(rule, evidence, missing)),
    ...[...evidence].flatMap(([id, [test]]) =>
      stated.has(id) || test!.guessed ? [] : [finding(id, test!.where, "tested but not in the spec")]
    ),
    ...tests.cited.filter(({ id }) => !isLive(spec, id)).map(({ id, where }) =>
      finding(id, where, `a test cites ${id}, which the spec does not have`)
    )
  ]
}
