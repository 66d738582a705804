import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { readJson } from "../formats/read-file.ts"
import type { Field } from "../formats/field.ts"
import type { WantedFile } from "../run/plan.ts"
import { filesOf } from "../sources/files.ts"
import { fateOf } from "../sources/sort-out.ts"
import type { Source, VectorFile } from "../sources/source.ts"

/** Whether a case says something about rule `id`: cites it, or expects it to be broken. */
const speaksOf = (given: Field, id: RuleId): boolean => {
  const expect = given.get("expect")
  const cited = given.find("rules")?.items.map((item) => item.text) ?? []
  return cited.includes(id) || (typeof expect.raw === "object" && expect.find("violation")?.text === id)
}

const wantedOf = (file: VectorFile, id: RuleId): WantedFile | undefined => {
  try {
    const vectors = readJson(file)
    if (vectors.get("rule").text === id) return { file }
    const only = [...vectors.get("cases").items.entries()].filter(([, given]) => speaksOf(given, id)).map(([index]) =>
      String(index)
    )
    return only.length === 0 ? undefined : { file, only }
  } catch (error) {
    // A file that cannot be read fails a whole run; here it stays out of the way of other rules.
    if (error instanceof MalformedVector) return file.path.endsWith(`/${id}.json`) ? { file } : undefined
    throw error
  }
}

/** The vector files about rule `id`: its own with all cases, and single cases of others. */
export const ruleFiles = (ours: Source, id: RuleId): ReadonlyArray<WantedFile> =>
  filesOf(ours)
    .filter((file) => fateOf(file).kind === "claimed")
    .map((file) => wantedOf(file, id))
    .filter((wanted) => wanted !== undefined)
