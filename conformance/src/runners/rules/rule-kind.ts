import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import { readSpec, type Spec } from "../../trace/spec.ts"
import { WORKSPACE } from "../../workspace.ts"

let spec: Spec | undefined

/** Whether the specification calls rule `id` a judgement, one that can be broken itself. */
export const isJudgement = (id: RuleId): boolean => {
  spec ??= readSpec(WORKSPACE)
  return (spec.rules.get(id)?.kind ?? "judgement") === "judgement"
}
