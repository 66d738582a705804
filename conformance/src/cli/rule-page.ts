import { RULES, type RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import type { WantedFile } from "../run/plan.ts"
import { implementationsOf, readCode } from "../trace/code.ts"
import { readSpec, type Rule } from "../trace/spec.ts"
import { readTests } from "../trace/tests.ts"
import { WORKSPACE } from "../workspace.ts"
import { print } from "./print.ts"

const heading = (title: string): void => print(`\n${title}`)

const printRule = (rule: Rule): void => {
  print(`${rule.id} · ${rule.title} (${rule.kind})`)
  heading(`Statement  ${rule.where}`)
  print(rule.prose.replaceAll(/^(?=.)/gm, "  "))
  if (rule.requires.length > 0) print(`\n  Requires ${rule.requires.join(", ")}`)
  if (rule.order.length > 0) print(`\n  Order ${rule.order.join(", ")}`)
  if (rule.reject !== "") print(`\n  Reject reason ${rule.reject}`)
}

const printCode = (id: RuleId): void => {
  heading("Code")
  const declarations = implementationsOf(readCode(WORKSPACE), id)
  for (const { name, where, parameters } of declarations) print(`  ${name}(${parameters.join(", ")})  ${where}`)
  if (declarations.length === 0) print("  none")
}

const printProperties = (id: RuleId, rule: Rule | undefined): void => {
  heading("Properties")
  const tests = readTests(WORKSPACE).properties
  for (const property of rule?.properties ?? []) {
    const where = tests.filter((test) => test.id === property.id).map((test) => test.where)
    print(`  ${property.id}  ${property.text}\n      tested at ${where.join(", ") || "no place"}`)
  }
  if ((rule?.properties.length ?? 0) === 0) print(`  none of ${id} is stated`)
}

const printVectors = (files: ReadonlyArray<WantedFile>): void => {
  heading("Vectors")
  for (const { file, only } of files) {
    print(`  ${file.display}${only === undefined ? "" : `, cases ${only.join(", ")}`}`)
  }
  if (files.length === 0) print("  none")
}

/**
 * Prints all there is about one rule: what it says, where it stands in the code, which vectors and properties speak of
 * it.
 */
export const printRulePage = (id: RuleId, files: ReadonlyArray<WantedFile>): void => {
  const rule = readSpec(WORKSPACE).rules.get(id)
  if (rule === undefined) print(`${id} · ${RULES[id].title}\n  The specification does not state it.`)
  else printRule(rule)
  printCode(id)
  printVectors(files)
  printProperties(id, rule)
  print("")
}
