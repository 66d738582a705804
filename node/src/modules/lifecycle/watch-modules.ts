import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import type { Milliseconds } from "../../quantities.ts"
import type { Modules } from "./modules.ts"

/** How often the files of modules are looked at. */
const INTERVAL: Milliseconds = 500

const markOf = (path: string): string => {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return "none"
  }
}

/** What the files of a module were at two looks. */
interface Watched {
  /** When it was loaded, or last reloaded. */
  loaded: string
  /** At the last look. */
  last: string
}

/** The modules whose files have changed, and were the same at two looks: half a file is no reason to reload. */
const changedModules = (modules: Modules, watched: Map<string, Watched>): ReadonlyArray<string> => {
  const sources = modules.sources()
  const names = new Set(sources.map(({ name }) => name))
  for (const name of watched.keys()) if (!names.has(name)) watched.delete(name)
  return sources.flatMap(({ files, name }) => {
    const mark = files.map(markOf).join("\n")
    const before = watched.get(name)
    if (before === undefined) {
      watched.set(name, { loaded: mark, last: mark })
      return []
    }
    const isChanged = mark !== before.loaded && mark === before.last
    before.last = mark
    if (isChanged) before.loaded = mark
    return isChanged ? [name] : []
  })
}

const reloadModule = (modules: Modules, name: string): Effect.Effect<void> =>
  Effect.logInfo("the files of a module have changed: it is reloaded").pipe(
    Effect.andThen(modules.reload(name)),
    Effect.catch(({ message }) => Effect.logWarning(message)),
    Effect.annotateLogs({ category: "modules", module: name }),
    Effect.asVoid
  )

/** Reloads each running module when its manifest, its program or its `config.toml` changes. */
export const watchModules = (modules: Modules): Effect.Effect<never> =>
  Effect.suspend(() => {
    const watched = new Map<string, Watched>()
    changedModules(modules, watched)
    const look = Effect.suspend(() =>
      Effect.forEach(changedModules(modules, watched), (name) => reloadModule(modules, name), { discard: true })
    )
    return Effect.forever(Effect.andThen(Effect.sleep(INTERVAL), look))
  })
