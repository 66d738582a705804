import type { Manifest } from "@lockstep/protocol/module-manifest/index.ts"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { constants, type Stats } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { readOpened } from "./read-file.ts"

/** The program of a module as it was read. */
export interface ProgramFile {
  readonly path: string
  /** Size in bytes. */
  readonly size: number
  /** SHA-256 of the file. */
  readonly hash: Uint8Array
}

/** Paths at which the program of a module may be, in order of preference. */
export const placesOf = (directory: string, { entryPoint }: Manifest): ReadonlyArray<string> => [
  join(directory, "target", "release", entryPoint),
  join(directory, entryPoint)
]

/** Maximum bytes of a program. */
export const MAX_PROGRAM_BYTES = 512 * 1024 * 1024

const hashOf = async (file: FileHandle): Promise<Uint8Array> => {
  const hash = createHash("sha256")
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length)
    if (bytesRead === 0) return hash.digest()
    hash.update(buffer.subarray(0, bytesRead))
  }
}

const unfit = (stats: Stats): string | undefined => {
  if (!stats.isFile()) return "is no regular file"
  if ((stats.mode & 0o111) === 0) return "is not executable"
  return stats.size > MAX_PROGRAM_BYTES ? `is larger than ${MAX_PROGRAM_BYTES} bytes` : undefined
}

const closedProgram = (path: string) => (code: string | undefined): string | undefined => {
  if (code === "ENOENT" || code === "ENOTDIR") return undefined
  return code === "ELOOP" ? `${path} is a symbolic link` : `${path} cannot be read: ${code}`
}

/**
 * Reads the program at a path. Returns `undefined` if it does not exist. Symbolic links are refused, since they could
 * lead out of the directory that the operator chose.
 */
const programAt = (path: string): Effect.Effect<ProgramFile | undefined, string> =>
  readOpened(path, constants.O_RDONLY | constants.O_NOFOLLOW, closedProgram(path), async (file) => {
    const stats = await file.stat()
    const reason = unfit(stats)
    if (reason !== undefined) throw new Error(`${path} ${reason}`)
    return { path, size: stats.size, hash: await hashOf(file) }
  })

const mismatch = ({ binary }: Manifest, { path, size, hash }: ProgramFile): string | undefined => {
  if (binary === undefined) return undefined
  if (binary.size !== size) return `${path} has ${size} bytes, and the manifest says ${binary.size}`
  return Buffer.compare(binary.hash, hash) === 0
    ? undefined
    : `${path} has the hash ${Buffer.from(hash).toString("hex")}, and the manifest says another`
}

/** Finds the program that a manifest names. Fails with the reason why it must not be started. */
export const programFile = (directory: string, manifest: Manifest): Effect.Effect<ProgramFile, string> =>
  Effect.gen(function*() {
    for (const place of placesOf(directory, manifest)) {
      const found = yield* programAt(place)
      if (found === undefined) continue
      const fault = mismatch(manifest, found)
      return yield* fault === undefined ? Effect.succeed(found) : Effect.fail(fault)
    }
    return yield* Effect.fail(`there is no program ${manifest.entryPoint} in ${directory}`)
  })
