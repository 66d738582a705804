import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import { BASE_OPTIONS } from "./bubblewrap.ts"
import { TRIAL } from "./resource-limits.ts"
import type { Processor } from "./seccomp-filter.ts"
import { type UnshareTools, unshareTrial } from "./unshare/unshare-command.ts"

/** Method by which modules are confined on this machine. */
export type Confinement =
  | { readonly _tag: "Bubblewrap"; readonly program: string; readonly processor: Processor }
  /** Confines by programs of util-linux and by system calls of the node itself. */
  | { readonly _tag: "Unshare"; readonly tools: UnshareTools; readonly processor: Processor }
  /** Does not confine, for this reason. */
  | { readonly _tag: "None"; readonly reason: string }

const TRIAL_LIMIT_MS = 5_000

/** Directories in which the system keeps programs. */
const PLACES = ["/usr/bin", "/usr/local/bin", "/bin"]

/** Returns the path of a program of the system. */
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

/**
 * Runs a program that does nothing in a sandbox, together with the one that sets limits. Returns the fault, or
 * `undefined` if it works.
 */
const trial = ([program, ...rest]: ReadonlyArray<string>): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    execFile(program!, rest, { timeout: TRIAL_LIMIT_MS }, (error, _, said) => {
      if (error === null) return resume(Effect.succeed(undefined))
      const ending = `${program} ended with ${error.signal ?? error.code}`
      resume(Effect.succeed(said.split("\n").find((line) => line !== "") ?? ending))
    })
  })

const toolsFor = (unshare: string | undefined): UnshareTools | undefined => {
  const setpriv = systemProgram("setpriv")
  return unshare === undefined || setpriv === undefined ? undefined : { unshare, setpriv }
}

const NOT_INSTALLED = "is not installed"

/** Programs for sandboxes that this machine may have. */
interface Offers {
  readonly bubblewrap: string | undefined
  readonly unshare: string | undefined
}

const words = (what: string, fault: string): string =>
  fault === NOT_INSTALLED ? `${what} ${fault}` : `${what} does not work here (${fault})`

const tried = Effect.fnUntraced(
  function*({ bubblewrap, unshare }: Offers, processor: Processor): Effect.fn.Return<Confinement> {
    const first = bubblewrap === undefined
      ? NOT_INSTALLED
      : yield* trial([bubblewrap, ...BASE_OPTIONS, "--", ...TRIAL])
    if (first === undefined) return { _tag: "Bubblewrap", program: bubblewrap!, processor }
    const tools = toolsFor(unshare)
    const second = tools === undefined ? NOT_INSTALLED : yield* trial(unshareTrial(tools, processor))
    if (second === undefined) return { _tag: "Unshare", tools: tools!, processor }
    return none(`${words("bubblewrap", first)}, and ${words("unshare", second)}`)
  }
)

/** Finds the best confinement that works on this machine by trying it. */
export const findConfinement = (
  { bubblewrap = systemProgram("bwrap"), unshare = systemProgram("unshare") }: Partial<Offers> = {}
): Effect.Effect<Confinement> => {
  const { arch, platform } = process
  if (platform !== "linux") return Effect.succeed(none("modules can be confined on Linux alone"))
  if (arch !== "x64" && arch !== "arm64") return Effect.succeed(none(`there is no filter of system calls for ${arch}`))
  return tried({ bubblewrap, unshare }, arch)
}
