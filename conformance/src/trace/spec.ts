import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse as parseYaml } from "yaml"
import { type Constant, readConstants } from "./constants.ts"
import type { Finding } from "./finding.ts"
import { RULE_ID } from "./rule-id.ts"

const KINDS = ["judgement", "computation", "composition"] as const
/** A judgement can fail, a computation yields a value, a composition states the order of other rules. */
export type RuleKind = typeof KINDS[number]

/** A sentence about a rule that a property test checks; `id` is `AREA-nnn/Pn`. */
export interface Property {
  readonly id: string
  readonly text: string
}

/** One section of the specification. `where` is file and line of its heading. */
export interface Rule {
  readonly id: string
  readonly title: string
  readonly kind: RuleKind
  readonly symbol: string
  /** Names of the function's parameters, in order. */
  readonly inputs: ReadonlyArray<string>
  /** Their types, in the same order. */
  readonly inputTypes: ReadonlyArray<string>
  /** Type or description of what it establishes or computes, empty where it yields nothing. */
  readonly yields: string
  readonly requires: ReadonlyArray<string>
  readonly order: ReadonlyArray<string>
  readonly constants: ReadonlyArray<string>
  /** Bitcoin Core's reject reason, empty where it has none. */
  readonly reject: string
  /** The whole YAML block. */
  readonly block: Readonly<Record<string, unknown>>
  /** Display formulas, white space squeezed. */
  readonly formulas: ReadonlyArray<string>
  /** The explanation: the section less heading, block, and properties. */
  readonly prose: string
  readonly properties: ReadonlyArray<Property>
  /** Hash of the normative part; what a function's tag is pinned to. */
  readonly hash: string
  readonly file: string
  readonly line: number
  readonly where: string
}

/** The specification as data, and what is wrong with its form. */
export interface Spec {
  readonly rules: ReadonlyMap<string, Rule>
  readonly constants: ReadonlyMap<string, Constant>
  readonly findings: ReadonlyArray<Finding>
}

interface Section {
  readonly heading: string
  readonly body: string
  readonly file: string
  readonly line: number
}

const squeeze = (text: string): string => text.replace(/\s+/g, " ").trim()

/** Cuts a document at its `##` headings; fenced blocks are never cut. */
const sectionsOf = (file: string, text: string): ReadonlyArray<Section> => {
  const sections: Array<{ heading: string; lines: Array<string>; line: number }> = []
  let fenced = false
  for (const [i, line] of text.split("\n").entries()) {
    if (/^(```|~~~)/.test(line)) fenced = !fenced
    const heading = fenced ? null : /^(#{1,2}) (.*)$/.exec(line)
    if (heading !== null) sections.push({ heading: heading[1] === "##" ? heading[2]! : "", lines: [], line: i + 1 })
    else sections.at(-1)?.lines.push(line)
  }
  return sections.map(({ heading, lines, line }) => ({ heading, body: lines.join("\n"), file, line }))
}

const BLOCK = /```rule\n([\s\S]*?)```/
const FORMULA = /\$\$([\s\S]*?)\$\$/g

/** Properties are the bullets that begin with a bold P and a number; one may run over several lines. */
const propertiesOf = (id: string, body: string): ReadonlyArray<Property> =>
  [...body.matchAll(/^[-*] \*\*(P\d+)\*\*\s*([\s\S]*?)(?=\n[-*] |\n\s*\n|\n#|$(?![\s\S]))/gm)]
    .map((match) => ({ id: `${id}/${match[1]}`, text: squeeze(match[2]!) }))

const withoutProperties = (body: string): string =>
  body.replace(/^[-*] \*\*P\d+\*\*\s*[\s\S]*?(?=\n[-*] |\n\s*\n|\n#|$(?![\s\S]))/gm, "")

/**
 * Keys in one order, so that moving a line of the block changes nothing; nested mappings keep theirs (parameters have
 * an order).
 */
const statementHash = (block: Readonly<Record<string, unknown>>, formulas: ReadonlyArray<string>): string => {
  const normative = Object.entries(block).filter(([key]) => key !== "refs" && key !== "symbol")
  normative.sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash("sha256").update(squeeze(JSON.stringify([normative, formulas]))).digest("hex").slice(0, 8)
}

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parseBlock = (yaml: string): Record<string, unknown> | string => {
  try {
    const block: unknown = parseYaml(yaml)
    return isRecord(block) ? block : "the rule block is not a list of fields"
  } catch (error) {
    return `the rule block is not YAML: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`
  }
}

/** What is wrong with the form of a block, in words. */
const formFaults = (id: string, block: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  if (block["id"] !== id) faults.push(`heading ${id} and block ${String(block["id"])} differ`)
  if (!KINDS.some((kind) => kind === block["kind"])) faults.push(`kind must be one of ${KINDS.join(", ")}`)
  if (typeof block["symbol"] !== "string") faults.push("symbol is missing: the name of the exported function")
  if (block["inputs"] !== undefined && !isRecord(block["inputs"])) faults.push("inputs must be { name: type, … }")
  for (const field of ["requires", "order", "constants"]) {
    const value = block[field]
    if (value !== undefined && !(Array.isArray(value) && value.every((item) => typeof item === "string"))) {
      faults.push(`${field} must be a list of ids`)
    }
  }
  if (block["kind"] === "composition" && strings(block["order"]).length === 0) {
    faults.push("a composition states an order")
  }
  return faults
}

const text = (value: unknown): string => typeof value === "string" ? value : ""

/** What is wrong with what stands around a block, in words. */
const bodyFaults = (
  id: string,
  formulas: ReadonlyArray<string>,
  properties: ReadonlyArray<Property>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  if (formulas.length === 0) faults.push("has no formula")
  if (properties.length === 0) faults.push("has no property")
  for (const [i, property] of properties.entries()) {
    if (property.id !== `${id}/P${i + 1}`) {
      faults.push(`properties are numbered from P1 on; found ${property.id} in place ${i + 1}`)
    }
  }
  return faults
}

/** The block of a section that is a rule, or why it is none; nothing where the section is just text. */
const blockOf = (section: Section, isRule: boolean): Record<string, unknown> | string | undefined => {
  const yaml = BLOCK.exec(section.body)?.[1]
  if (yaml === undefined) return isRule ? "has no rule block" : undefined
  return isRule ? parseBlock(yaml) : "a rule's heading is `AREA-nnn · Title`"
}

const readRule = (section: Section, findings: Array<Finding>): Rule | undefined => {
  const where = `${section.file}:${section.line}`
  const [, id = section.heading, title] = /^([A-Z]{3}-\d{3}) · (.+)$/.exec(section.heading) ?? []
  const report = (what: string) => findings.push({ check: "spec", id, where, what })
  const block = blockOf(section, title !== undefined)
  if (typeof block === "string") report(block)
  if (title === undefined || typeof block !== "object") return undefined
  const body = section.body.replace(BLOCK, "")
  const formulas = [...body.matchAll(FORMULA)].map((match) => squeeze(match[1]!))
  const properties = propertiesOf(id, body)
  for (const what of [...formFaults(id, block), ...bodyFaults(id, formulas, properties)]) report(what)
  return {
    id,
    title: title.trim(),
    kind: KINDS.find((kind) => kind === block["kind"]) ?? "judgement",
    symbol: text(block["symbol"]),
    inputs: isRecord(block["inputs"]) ? Object.keys(block["inputs"]) : [],
    inputTypes: isRecord(block["inputs"]) ? Object.values(block["inputs"]).map(String) : [],
    yields: text(block["yields"]),
    requires: strings(block["requires"]),
    order: strings(block["order"]),
    constants: strings(block["constants"]),
    reject: text(block["reject"]),
    block,
    formulas,
    prose: withoutProperties(body).replace(/\n{3,}/g, "\n\n").trim(),
    properties,
    hash: statementHash(block, formulas),
    file: section.file,
    line: section.line,
    where
  }
}

/** Reads every rule and constant of the specification below `root`. */
export const readSpec = (root: string): Spec => {
  const findings: Array<Finding> = []
  const rules = new Map<string, Rule>()
  const constants = new Map<string, Constant>()
  const duplicate = (id: string, where: string, earlier: string) =>
    findings.push({ check: "spec", id, where, what: `defined twice, first at ${earlier}` })
  for (const file of globSync("spec/{rules,policy}/**/*.md", { cwd: root }).sort()) {
    const document = readFileSync(join(root, file), "utf8")
    for (const section of sectionsOf(file, document)) {
      const rule = readRule(section, findings)
      if (rule === undefined) continue
      const earlier = rules.get(rule.id)
      if (earlier === undefined) rules.set(rule.id, rule)
      else duplicate(rule.id, rule.where, earlier.where)
    }
    for (const constant of readConstants(file, document, findings)) {
      const earlier = constants.get(constant.id)
      if (earlier === undefined) constants.set(constant.id, constant)
      else duplicate(constant.id, constant.where, earlier.where)
    }
  }
  return { rules: new Map([...rules].sort(([a], [b]) => (a < b ? -1 : 1))), constants, findings }
}

/** Whether `id` is one the specification has, rule or constant. */
export const isLive = (spec: Spec, id: string): boolean =>
  RULE_ID.test(id) && (spec.rules.has(id) || spec.constants.has(id))
