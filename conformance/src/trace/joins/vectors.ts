import type { Coverage } from "../coverage.ts"
import type { Finding } from "../finding.ts"
import { isLive, type Spec } from "../spec.ts"
import type { Vectors } from "../vectors.ts"

/** Vectors against rules: ids exist, and a run has seen every rule hold and every rule broken. */
export const vectorFindings = (
  spec: Spec,
  vectors: Vectors,
  coverage: ReadonlyMap<string, Coverage>
): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = [...vectors.findings]
  for (const { id, where, in: place } of vectors.cited) {
    if (!isLive(spec, id)) {
      findings.push({ check: "vectors", id, where, what: `${place} cites ${id}, which the spec does not have` })
    }
  }
  for (const { id, where } of spec.rules.values()) {
    const { accepted, rejected } = coverage.get(id) ?? { accepted: 0, rejected: 0 }
    const at = vectors.files.get(id) ?? where
    if (accepted === 0) findings.push({ check: "vectors", id, where: at, what: "no vector satisfies it" })
    if (rejected === 0) findings.push({ check: "vectors", id, where: at, what: "no vector breaks it" })
  }
  return findings
}
