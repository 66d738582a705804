import { type Code, implementationsOf } from "../code.ts"
import type { Finding } from "../finding.ts"
import type { Spec } from "../spec.ts"

const shown = (value: unknown): string =>
  typeof value === "bigint" ? `${value}n` : typeof value === "number" ? `${value}` : `a ${typeof value}`

/** The constants table against what the kernel exports: `exported` is the module `kernel/src/constants.ts`. */
export const constantFindings = (
  spec: Spec,
  code: Code,
  exported: Readonly<Record<string, unknown>>
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  for (const { id, name, value, where } of spec.constants.values()) {
    const report = (what: string) => findings.push({ check: "constants", id, where, what })
    const implementations = implementationsOf(code, id)
    if (implementations.length !== 1) report(`exported ${implementations.length} times with @spec ${id}, wanted once`)
    else if (implementations[0]!.name !== name) {
      report(`is called ${name}, the kernel's export is ${implementations[0]!.name}`)
    } else if (exported[name] !== value) report(`${name} is ${shown(value)}, the kernel's is ${shown(exported[name])}`)
  }
  return findings
}
