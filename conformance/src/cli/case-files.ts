import { resolve } from "node:path"
import type { WantedFile } from "../run/plan.ts"
import { filesOf } from "../sources/files.ts"
import type { Source, VectorFile } from "../sources/source.ts"
import { nearest } from "./nearest.ts"
import { UsageError } from "./usage-error.ts"

const isMeant = (file: VectorFile, given: string): boolean =>
  file.display === given || file.path === given || file.absolute === resolve(given)

/** The files that `--case FILE:INDEX` options name, in whichever source they are, with the cases wanted. */
export const caseFiles = (sources: ReadonlyArray<Source>, cases: ReadonlyArray<string>): ReadonlyArray<WantedFile> => {
  const files = sources.flatMap(filesOf)
  const wanted = new Map<VectorFile, Array<string>>()
  for (const given of cases) {
    const [, name, index] = /^(.+):([^:/]+)$/.exec(given) ?? []
    if (name === undefined || index === undefined) {
      throw new UsageError(`--case wants FILE:INDEX as a failure prints it, not "${given}".`)
    }
    const meant = files.filter((file) => isMeant(file, name))
    if (meant.length === 0) {
      const hint = files.length === 0 ? "" : ` The nearest is ${nearest(name, files.map((file) => file.display))}.`
      throw new UsageError(`No vector file is called "${name}".${hint}`)
    }
    for (const file of meant) wanted.set(file, [...wanted.get(file) ?? [], index])
  }
  return [...wanted].map(([file, only]) => ({ file, only }))
}
