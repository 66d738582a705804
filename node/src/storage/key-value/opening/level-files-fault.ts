import * as fs from "node:fs"
import { join } from "node:path"
import { diskError } from "../../disk/disk-error.ts"
import { demandRegular, isThere } from "../../disk/regular-file.ts"
import { levelLogFault } from "./level-log-fault.ts"

/** Names of LevelDB's files. */
const OF_LEVELDB = /^(?:CURRENT|LOCK|MANIFEST-\d+|\d+\.(?:ldb|sst|log))$/

const onDisk = <A>(path: string, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw diskError("key-value", "read", path, cause)
  }
}

/** Describes a fault in the files of a LevelDB store that LevelDB itself would not notice when it opens them. */
export const levelFilesFault = (directory: string): string | undefined => {
  if (!isThere(directory)) return undefined
  const names = fs.readdirSync(directory)
  for (const name of names.filter((candidate) => OF_LEVELDB.test(candidate))) {
    demandRegular("key-value", join(directory, name))
  }
  // Without this file LevelDB treats the directory as new and starts empty.
  if (!names.includes("CURRENT")) {
    const table = names.find((name) => /^\d+\.(?:ldb|sst)$/.test(name))
    return table === undefined ? undefined : `the file CURRENT is missing beside ${table}`
  }
  for (const name of names.filter((candidate) => /^\d+\.log$/.test(candidate))) {
    const path = join(directory, name)
    const fault = levelLogFault(onDisk(path, () => fs.readFileSync(path)))
    if (fault !== undefined) return `${name}: ${fault}`
  }
  return undefined
}
