import type { Code, Declaration } from "../code.ts"
import { implementationsOf } from "../code.ts"
import type { Finding } from "../finding.ts"
import { isLive, type Rule, type Spec } from "../spec.ts"

/** Whether a `yields` names a type; others describe a value in words. */
const namesType = (yields: string): boolean => /^(?:boolean|number|[A-Z]\w*(?:<\w+>)?)(?:, or none)?$/.test(yields)

const implementationFindings = (rule: Rule, implementations: ReadonlyArray<Declaration>): ReadonlyArray<Finding> => {
  if (implementations.length !== 1) {
    const where = implementations.map((d) => `${d.name} in ${d.file}`).join(", ")
    const what = `implemented ${implementations.length} times, wanted once${where === "" ? "" : `: ${where}`}`
    return [{ check: "code", id: rule.id, where: rule.where, what }]
  }
  const [{ name, form, tags, parameters, parameterTypes, yields, where }] = implementations as [Declaration]
  const findings: Array<Finding> = []
  const report = (check: Finding["check"], what: string) => findings.push({ check, id: rule.id, where, what })
  if (form !== "function") report("code", `${name} is no function`)
  if (name !== rule.symbol) report("code", `belongs to ${rule.symbol}, cited by ${name}`)
  const hash = tags.find((tag) => tag.id === rule.id)?.hash
  if (hash === undefined) {
    report("meaning", `${name} is not pinned to its statement; after reading both: @spec ${rule.id} #${rule.hash}`)
  } else if (hash !== rule.hash) report("meaning", `changed since ${name} was written: #${hash} → #${rule.hash}`)
  // A parameter that a function of a table must take but does not read is written with an underscore.
  if (parameters.map((parameter) => parameter.replace(/^_/, "")).join() !== rule.inputs.join()) {
    report("parameters", `inputs are (${rule.inputs.join(", ")}), parameters of ${name} are (${parameters.join(", ")})`)
  } else if (parameterTypes.join() !== rule.inputTypes.join()) {
    report(
      "parameters",
      `inputs are typed (${rule.inputTypes.join(", ")}), parameters of ${name} (${parameterTypes.join(", ")})`
    )
  }
  if (namesType(rule.yields) && rule.yields !== yields) {
    report("parameters", `yields ${rule.yields}, ${name} answers ${yields}`)
  }
  return findings
}

/** Rules whose errors are found in this file: those implemented in it. */
const rulesByFile = (code: Code): ReadonlyMap<string, ReadonlySet<string>> => {
  const byFile = new Map<string, Set<string>>()
  for (const { file, tags } of code.declarations) {
    const ids = byFile.get(file) ?? new Set()
    for (const { id } of tags) ids.add(id)
    byFile.set(file, ids)
  }
  return byFile
}

/**
 * What is wrong with how an export is marked, in words: it carries a rule, or is public, or says that it is internal.
 */
const markFaults = ({ form, tags, internal, isPublic }: Declaration): ReadonlyArray<string> => {
  const faults: Array<string> = []
  if (form !== "type" && tags.length === 0 && !internal && !isPublic) {
    faults.push("is exported with neither @spec nor @internal, and no public face exports it")
  }
  if (internal && isPublic) faults.push("is @internal, but a public face exports it")
  if (tags.length > 0 && internal) faults.push("has both @spec and @internal")
  return faults
}

const declarationFindings = (
  declaration: Declaration,
  spec: Spec,
  rulesOfFile: ReadonlySet<string>
): ReadonlyArray<Finding> => {
  const { name, where, file, tags, raises } = declaration
  const findings: Array<Finding> = []
  const report = (check: Finding["check"], id: string, what: string, at = where) =>
    findings.push({ check, id, where: at, what })
  for (const fault of markFaults(declaration)) report("code", name, fault)
  for (const tag of tags) {
    if (!isLive(spec, tag.id)) report("code", tag.id, `${name} cites ${tag.id}, which the spec does not have`)
  }
  for (const { id, line } of raises) {
    const at = `${file}:${line}`
    if (!spec.rules.has(id)) report("errors", id, `${name} raises ${id}, which the spec does not have`, at)
    else if (tags.length > 0 && !tags.some((tag) => tag.id === id)) {
      report("errors", id, `${name} implements ${tags.map((tag) => tag.id).join(", ")} but raises ${id}`, at)
    } else if (tags.length === 0 && !rulesOfFile.has(id)) {
      report("errors", id, `${name} raises ${id}, whose function is in another file`, at)
    }
  }
  return findings
}

/**
 * A judgement can be broken and names itself when it is, with the errors its statement lists; nothing else names
 * itself.
 */
const errorFindings = (rule: Rule, code: Code, implementation: Declaration): ReadonlyArray<Finding> => {
  const raised = code.declarations
    .filter((declaration) => declaration.file === implementation.file)
    .flatMap((declaration) => declaration.raises.filter((each) => each.id === rule.id))
  const { where, name } = implementation
  const finding = (what: string): Finding => ({ check: "errors", id: rule.id, where, what })
  if (rule.kind !== "judgement") {
    return raised.length === 0
      ? []
      : [finding(`is a ${rule.kind}, which raises nothing, but ${name} raises it`)]
  }
  if (raised.length === 0) return [finding(`is a judgement, but nothing in ${implementation.file} raises it`)]
  const stated = rule.block["errors"]
  if (!Array.isArray(stated) || raised.some((each) => each.error === undefined)) return []
  const wanted = [...new Set(stated.map(String))].sort().join(", ")
  const found = [...new Set(raised.map((each) => each.error!))].sort().join(", ")
  return wanted === found ? [] : [finding(`states the errors ${wanted}, the code raises ${found}`)]
}

/** Rules against functions, in both directions. */
export const codeFindings = (spec: Spec, code: Code): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  for (const rule of spec.rules.values()) {
    const implementations = implementationsOf(code, rule.id)
    findings.push(...implementationFindings(rule, implementations))
    if (implementations.length === 1) findings.push(...errorFindings(rule, code, implementations[0]!))
  }
  const byFile = rulesByFile(code)
  for (const declaration of code.declarations) {
    findings.push(...declarationFindings(declaration, spec, byFile.get(declaration.file) ?? new Set()))
  }
  return findings
}
