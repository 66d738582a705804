import { RULES, type RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import type { Field } from "../../formats/field.ts"
import { readJson } from "../../formats/read-file.ts"
import type { Bench } from "../../judge/bench.ts"
import type { Outcome } from "../../judge/outcome.ts"
import type { Case, Runner } from "../runner.ts"
import type { RuleAnswer } from "./answer.ts"
import { isJudgement } from "./rule-kind.ts"
import { answerTo } from "./subjects.ts"

const ruleIdOf = (field: Field): RuleId =>
  Object.hasOwn(RULES, field.text) ? field.text as RuleId : field.fail(`there is no rule "${field.text}"`)

/** Whether `actual` has everything that `expected` states; of an object only the members it names are compared. */
const agrees = (expected: unknown, actual: unknown): boolean => {
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length &&
      expected.every((item, i) => agrees(item, actual[i]))
  }
  if (typeof expected !== "object" || expected === null) return expected === actual
  if (typeof actual !== "object" || actual === null) return false
  return Object.entries(expected).every(([name, member]) => agrees(member, (actual as Record<string, unknown>)[name]))
}

const MAX_SHOWN = 300

const shown = (answer: RuleAnswer): string => {
  const text = answer.kind === "holds" ?
    "holds" :
    answer.kind === "value" ?
    `value ${JSON.stringify(answer.value)}` :
    answer.kind === "stack" ?
    `stack ${JSON.stringify(answer.stack)}` :
    `violation of ${answer.rule}${answer.error === "" ? "" : ` ${answer.error}`}${
      answer.offset === undefined ? "" : ` at ${answer.offset}`
    }`
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** What a case expects. `denies` marks the answer of a misreading: it must not be the kernel's. */
interface Expectation {
  readonly answer: RuleAnswer
  readonly denies: boolean
}

const expectationOf = (expect: Field): Expectation => {
  if (expect.raw === "holds") return { answer: { kind: "holds" }, denies: false }
  const violation = expect.find("violation")
  if (violation !== undefined) {
    const error = expect.find("error")?.text ?? ""
    return {
      answer: { kind: "violation", rule: ruleIdOf(violation), error, offset: expect.find("offset")?.integer },
      denies: false
    }
  }
  // A value may be null, which `find` does not distinguish from a missing member.
  const [name = ""] = expect.names
  const stated = (expect.raw as Record<string, unknown>)[name]
  const stack = (): RuleAnswer => ({
    kind: "stack",
    stack: expect.get(name).items.map((item) => Buffer.from(item.bytes).toString("hex"))
  })
  if (name === "value" || name === "notValue") {
    return { answer: { kind: "value", value: stated }, denies: name === "notValue" }
  }
  if (name === "stack" || name === "notStack") return { answer: stack(), denies: name === "notStack" }
  return expect.fail("expected \"holds\", value, notValue, stack, notStack or violation")
}

const matchesAnswer = (expected: RuleAnswer, actual: RuleAnswer): boolean => {
  if (expected.kind !== "violation" || actual.kind !== "violation") return agrees(expected, actual)
  return expected.rule === actual.rule &&
    (expected.error === "" || expected.error === actual.error) &&
    (expected.offset === undefined || expected.offset === actual.offset)
}

/**
 * Counts what a case that went as expected shows: which rules held, or which one was broken or is not the misreading.
 */
const count = (
  own: RuleId,
  others: ReadonlyArray<RuleId>,
  { answer, denies }: Expectation,
  { coverage }: Bench
): void => {
  if (denies) return coverage.rejected(own)
  if (answer.kind !== "violation") return [own, ...others].forEach(coverage.accepted)
  coverage.rejected(answer.rule)
  // What a computation or a composition yields is judged through the rule that uses it.
  if (answer.rule !== own && !isJudgement(own)) coverage.rejected(own)
}

const judgeCase = (own: RuleId, given: Field, bench: Bench): Outcome => {
  const expectation = expectationOf(given.get("expect"))
  const others = given.find("rules")?.items.map(ruleIdOf) ?? []
  const answer = answerTo(given, bench)
  const rule = answer.kind === "violation" ? answer.rule : undefined
  const sameKind = answer.kind === expectation.answer.kind
  const matches = matchesAnswer(expectation.answer, answer)
  if (expectation.denies ? matches || !sameKind : !matches) {
    return { expected: `${expectation.denies ? "not " : ""}${shown(expectation.answer)}`, actual: shown(answer), rule }
  }
  count(own, others, expectation, bench)
  return undefined
}

const caseOf = (own: RuleId, given: Field, index: number): Case => ({
  index: String(index),
  name: given.get("name").text,
  judge: (bench) => judgeCase(own, given, bench)
})

/** Our own vectors, one file a rule: `{rule, cases: [{name, rules?, evaluate | spend | call, expect}…]}`. */
export const ruleVectors: Runner = function*(file) {
  const vectors = readJson(file)
  const own = ruleIdOf(vectors.get("rule"))
  for (const [index, given] of vectors.get("cases").items.entries()) yield caseOf(own, given, index)
}
