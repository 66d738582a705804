import * as Effect from "effect/Effect"
import type { Milliseconds } from "../../quantities.ts"
import { sourceMark } from "../registry/source-mark.ts"
import type { Modules } from "./modules.ts"

/** Interval between checks of the files of modules. */
const INTERVAL: Milliseconds = 500

/** Marks of a module's files. */
interface Watched {
  /** Mark at the last attempt to reload, successful or not; `undefined` before the first attempt. */
  tried: string | undefined
  /** Mark at the last check. */
  last: string | undefined
}

/**
 * Returns the modules whose files have changed since they were read and were the same at two checks. So half-written
 * files cause no reload.
 */
const changedModules = (modules: Modules, watched: Map<string, Watched>): ReadonlyArray<string> => {
  const sources = modules.sources()
  const names = new Set(sources.map(({ name }) => name))
  for (const name of watched.keys()) if (!names.has(name)) watched.delete(name)
  return sources.flatMap(({ files, mark, name }) => {
    const now = sourceMark(files)
    const before = watched.get(name) ?? { tried: undefined, last: undefined }
    watched.set(name, before)
    const isChanged = now !== mark && now !== before.tried && now === before.last
    before.last = now
    if (isChanged) before.tried = now
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
