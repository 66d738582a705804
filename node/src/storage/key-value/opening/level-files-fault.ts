import * as fs from "node:fs"
import { join } from "node:path"
import { levelLogFault } from "./level-log-fault.ts"

/** What is wrong with the files of a LevelDB store, as far as LevelDB itself would not notice when it opens them. */
export const levelFilesFault = (directory: string): string | undefined => {
  if (!fs.existsSync(directory)) return undefined
  const names = fs.readdirSync(directory)
  // Without this file LevelDB takes the directory for a new one and begins with nothing.
  if (!names.includes("CURRENT")) {
    const table = names.find((name) => /^\d+\.(?:ldb|sst)$/.test(name))
    return table === undefined ? undefined : `the file CURRENT is missing beside ${table}`
  }
  for (const name of names.filter((candidate) => /^\d+\.log$/.test(candidate))) {
    if (!fs.statSync(join(directory, name)).isFile()) return `${name} is no file`
    const fault = levelLogFault(fs.readFileSync(join(directory, name)))
    if (fault !== undefined) return `${name}: ${fault}`
  }
  return undefined
}
