import { statSync } from "node:fs"

const markOf = (path: string): string => {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return "none"
  }
}

/** A text that is another one once one of the files has changed, came or is gone. */
export const sourceMark = (files: ReadonlyArray<string>): string => files.map(markOf).join("\n")
