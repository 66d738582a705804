import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import fs, { type PathLike } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { relative } from "node:path"

/** What a program does to the disk below a directory, in order: a fault in the order of syncs shows in nothing else. */
export interface DiskCalls {
  /** Calls since the last time this was asked, such as `sync file`, `rename file.new file`. */
  readonly taken: () => ReadonlyArray<string>
}

/** Puts other functions in place of those of `node:fs` and `node:fs/promises`, until the next call. */
const replaced = (functions: Partial<typeof fs>, promises: Partial<typeof fs.promises>): void => {
  Object.assign(fs, functions)
  Object.assign(fs.promises, promises)
  syncBuiltinESMExports()
}

/** Those functions of `all` that have the names of `some`. */
const sameOf = <A extends object>(some: Partial<A>, all: A): Partial<A> =>
  Object.fromEntries(Object.keys(some).map((name) => [name, all[name as keyof A]])) as Partial<A>

/** Has other functions in place of those of `node:fs` until the scope ends. */
export const replacedUntilEnd = (
  functions: Partial<typeof fs>,
  promises: Partial<typeof fs.promises> = {}
): Effect.Effect<void, never, Scope.Scope> => {
  const [real, realPromises] = [sameOf(functions, fs), sameOf(promises, fs.promises)]
  return Effect.acquireRelease(
    Effect.sync(() => replaced(functions, promises)),
    () => Effect.sync(() => replaced(real, realPromises))
  )
}

/**
 * Notes what this process does below `root` by Node.js until the scope ends: directories made, syncs, renames and
 * removals. The root itself is `.`; what native code does is not seen.
 */
export const diskCalls = (root: string): Effect.Effect<DiskCalls, never, Scope.Scope> => {
  const shown = (path: PathLike): string => relative(root, String(path)) || "."
  return Effect.gen(function*() {
    const calls: Array<string> = []
    const paths = new Map<number, string>()
    const note = (path: PathLike, call: string): void => {
      if (!shown(path).startsWith("..")) calls.push(call)
    }
    const { fsyncSync, mkdirSync, openSync, renameSync, rmSync } = fs
    const noting: Partial<typeof fs> = {
      openSync: (path, ...how) => {
        const descriptor = openSync(path, ...how)
        paths.set(descriptor, String(path))
        return descriptor
      },
      fsyncSync: (descriptor) => {
        fsyncSync(descriptor)
        const path = paths.get(descriptor) ?? ""
        note(path, `sync ${shown(path)}`)
      },
      renameSync: (from, to) => {
        renameSync(from, to)
        note(from, `rename ${shown(from)} ${shown(to)}`)
      },
      rmSync: (path, options) => {
        const isThere = fs.existsSync(path)
        rmSync(path, options)
        if (isThere) note(path, `remove ${shown(path)}`)
      },
      mkdirSync: ((path: PathLike, options: fs.MakeDirectoryOptions) => {
        const made = mkdirSync(path, options)
        note(path, `make ${shown(path)}`)
        return made
      }) as typeof fs.mkdirSync
    }
    const { open, rename } = fs.promises
    const notingLater: Partial<typeof fs.promises> = {
      open: async (path, ...how) => {
        const file = await open(path, ...how)
        const sync = file.sync.bind(file)
        file.sync = async () => {
          await sync()
          note(path, `sync ${shown(path)}`)
        }
        return file
      },
      rename: async (from, to) => {
        await rename(from, to)
        note(from, `rename ${shown(from)} ${shown(to)}`)
      }
    }
    yield* replacedUntilEnd(noting, notingLater)
    return { taken: () => calls.splice(0) }
  })
}
