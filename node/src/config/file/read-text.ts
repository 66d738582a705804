import * as Effect from "effect/Effect"
import { fsPath } from "../../bytes/byte-path.ts"
import { readFileSync, statSync } from "node:fs"
import { type ConfigError, configError } from "../config-error.ts"

const LARGEST = 4 * 1024 * 1024

const reasonOf = (error: unknown): string => {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return "no such file"
    case "ENOTDIR":
      return "no such file: a part of the path is not a directory"
    case "EACCES":
    case "EPERM":
      return "no permission to read it"
    case "ELOOP":
      return "too many symbolic links"
    case "ENAMETOOLONG":
      return "the name is too long"
    default:
      return `cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`
  }
}

/** Reads the text of a file, or fails with one line that says why it cannot. */
export const readText = (path: string): Effect.Effect<string, ConfigError> =>
  Effect.try({
    try: () => {
      const facts = statSync(fsPath(path))
      if (facts.isDirectory()) return configError(`${path}: is a directory, not a file`)
      if (!facts.isFile()) return configError(`${path}: is not a regular file`)
      if (facts.size > LARGEST) return configError(`${path}: larger than 4 MiB, so no configuration`)
      const bytes = readFileSync(fsPath(path))
      try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
      } catch {
        return configError(`${path}: is not UTF-8 text`)
      }
    },
    catch: (error) => configError(`${path}: ${reasonOf(error)}`)
  }).pipe(Effect.flatMap((read) => typeof read === "string" ? Effect.succeed(read) : Effect.fail(read)))
