import * as Effect from "effect/Effect"
import { type ExecFileException, execFile } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import { BASE_OPTIONS } from "./bubblewrap.ts"
import type { Processor } from "./seccomp-filter.ts"

/** How modules are confined on this machine. */
export type Confinement =
  | { readonly _tag: "Bubblewrap"; readonly program: string; readonly processor: Processor }
  /** Not at all, and why. */
  | { readonly _tag: "None"; readonly reason: string }

const TRIAL_LIMIT_MS = 5_000

/** Where the system keeps programs. */
const PLACES = ["/usr/bin", "/usr/local/bin", "/bin"]

/** The path of a program of the system. */
export const systemProgram = (name: string): string | undefined =>
  PLACES.map((place) => join(place, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

const none = (reason: string): Confinement => ({ _tag: "None", reason })

const failed = (error: ExecFileException, said: string): Confinement =>
  none(`bubblewrap does not work here: ${said.split("\n").find((line) => line !== "") ?? error.message}`)

/** Runs a program that does nothing in a sandbox, and with it the one that sets limits. */
const trial = (program: string, processor: Processor): Effect.Effect<Confinement> =>
  Effect.callback((resume) => {
    const command = ["--", "prlimit", "--core=0", "--", "true"]
    execFile(program, [...BASE_OPTIONS, ...command], { timeout: TRIAL_LIMIT_MS }, (error, _, said) => {
      resume(Effect.succeed(error === null ? { _tag: "Bubblewrap", program, processor } : failed(error, said)))
    })
  })

/** Finds out what the system offers, by trying it. */
export const findConfinement = (bubblewrap = systemProgram("bwrap")): Effect.Effect<Confinement> => {
  const { arch, platform } = process
  if (platform !== "linux") return Effect.succeed(none("modules can be confined on Linux alone"))
  if (arch !== "x64" && arch !== "arm64") return Effect.succeed(none(`there is no filter of system calls for ${arch}`))
  if (bubblewrap === undefined) return Effect.succeed(none("bubblewrap is not installed"))
  return trial(bubblewrap, arch)
}
