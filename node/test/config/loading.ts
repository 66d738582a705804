import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type ConfigRequest, loadConfig } from "../../src/config/load-config.ts"

/** An empty place that stands for the home directory and, beside it, the working directory. */
export interface Place {
  readonly home: string
  readonly directory: string
  readonly write: (path: string, text: string) => string
  readonly request: (changes?: Partial<ConfigRequest>) => ConfigRequest
}

const makePlace = (): { readonly place: Place; readonly root: string } => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-config-"))
  const home = join(root, "home")
  const directory = join(root, "work")
  for (const path of [home, directory]) mkdirSync(path)
  const write = (path: string, text: string): string => {
    const full = join(root, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text, { mode: 0o600 })
    return full
  }
  const request = (changes: Partial<ConfigRequest> = {}): ConfigRequest => ({
    options: [],
    assignments: [],
    file: undefined,
    environment: {},
    machine: { home, directory, processors: 4 },
    ...changes
  })
  return { root, place: { home, directory, write, request } }
}

/** Runs with a fresh place, which is gone afterwards. */
export const inPlace = <A, E>(use: (place: Place) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(makePlace),
    ({ place }) => use(place),
    ({ root }) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
  )

/** The problems that loading ends with; none when it succeeds. */
export const problemsOf = (request: ConfigRequest): Effect.Effect<ReadonlyArray<string>> =>
  loadConfig(request).pipe(Effect.match({ onFailure: ({ problems }) => problems, onSuccess: () => [] }))

/** An option as the command line gives it. */
export const option = (name: string, key: string, text: string) => ({ option: `--${name}`, key, text })
