import { statSync } from "node:fs"

const markOf = (path: string): string => {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return "none"
  }
}

/** Returns a text that differs once one of the files was changed, created or removed. */
export const sourceMark = (files: ReadonlyArray<string>): string => files.map(markOf).join("\n")
