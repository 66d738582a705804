import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { requestFailed } from "./api-call.ts"
import {
  confinedFacts,
  listConfined,
  makeConfined,
  NotRegular,
  readConfined,
  removeConfined,
  TooLarge,
  writeConfined
} from "./confined-files.ts"
import { type ConfinedPath, confinedPath } from "./confined-path.ts"
import type { RequestHandlers, ModuleContext } from "./module-context.ts"

/** Texts for error codes of the system about a path. Other errors are named by their codes. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "is not there",
  EEXIST: "is there already",
  ENOTDIR: "leads through what is no directory",
  EISDIR: "is a directory",
  ENOTEMPTY: "is a directory that is not empty",
  ENXIO: "is no regular file",
  ENOSPC: "finds no space: the disk is full"
}

const errorOf = (path: string, error: unknown): IpcError => {
  if (error instanceof TooLarge) return { kind: "ResourceExhausted", text: error.message }
  const code = error instanceof NotRegular ? "ENXIO" : (error as NodeJS.ErrnoException).code ?? "unknown"
  const name = JSON.stringify(path)
  return code === "ELOOP"
    ? { kind: "PermissionDenied", text: `${name} leads through a symbolic link` }
    : requestFailed(`${name} ${REASONS[code] ?? `failed with ${code}`}`)
}

/** Passes a path below the module's data directory to a handler. `isRoot` allows the directory itself. */
const confined = <A>(
  { module: { dataDirectory } }: ModuleContext,
  path: string,
  use: (root: string, parts: ConfinedPath) => Promise<A>,
  { isRoot = false } = {}
): Effect.Effect<A, IpcError> => {
  const parts = confinedPath(path)
  if ("text" in parts) return Effect.fail(parts)
  if (parts.length === 0 && !isRoot) return Effect.fail(requestFailed("the path names no file"))
  return Effect.tryPromise({ try: () => use(dataDirectory, parts), catch: (error) => errorOf(path, error) })
}

const DONE = { _tag: "Bool", value: true } as const
const seconds = (milliseconds: number): number | undefined =>
  milliseconds > 0 ? Math.floor(milliseconds / 1_000) : undefined

/** Handlers of requests about files of the module. */
export const FILE_REQUESTS: RequestHandlers<
  "ReadFile" | "WriteFile" | "DeleteFile" | "ListDirectory" | "CreateDirectory" | "GetFileMetadata"
> = {
  ReadFile: (context, { path }) =>
    Effect.map(confined(context, path, readConfined), (value) => ({ _tag: "FileData", value })),
  WriteFile: (context, { data, path }) =>
    Effect.as(confined(context, path, (root, parts) => writeConfined(root, parts, data)), DONE),
  DeleteFile: (context, { path }) => Effect.as(confined(context, path, removeConfined), DONE),
  CreateDirectory: (context, { path }) => Effect.as(confined(context, path, makeConfined), DONE),
  ListDirectory: (context, { path }) =>
    Effect.map(confined(context, path, listConfined, { isRoot: true }), (value) => ({
      _tag: "DirectoryListing",
      value
    })),
  GetFileMetadata: (context, { path }) =>
    Effect.map(
      confined(context, path, confinedFacts, { isRoot: true }),
      ({ created, isDirectory, isFile, modified, size }) => ({
        _tag: "FileMetadata",
        value: {
          path,
          size,
          is_file: isFile,
          is_directory: isDirectory,
          modified: seconds(modified),
          created: seconds(created)
        }
      })
    )
}
