import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { temporaryDirectory } from "../temporary-directory.ts"

const root = process.env["LOCKSTEP_VECTORS"]
const directory = root === undefined ? undefined : join(root, "oracle/chain")

/** The recorded chain and the directories of the node that made it, when they are at hand. */
export const recordedChain: string | undefined = directory !== undefined && existsSync(directory)
  ? directory
  : undefined

/** The names of the two recorded data directories. */
export const RECORDED_DIRECTORIES = ["core_datadir_xor", "core_datadir_noxor"] as const

/** Unpacks a recorded data directory for one test. */
export const unpackDirectory = (name: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.tap(temporaryDirectory, (target) =>
    Effect.sync(() => {
      const { status, stderr } = spawnSync("tar", ["-xzf", join(recordedChain!, `${name}.tar.gz`), "-C", target])
      if (status !== 0) throw new Error(`tar: ${stderr}`)
    }))

/** A recorded file, unpacked. */
export const recordedBytes = (name: string): Buffer => gunzipSync(readFileSync(join(recordedChain!, name)))

/** The lines of a recorded file as JSON. */
export const recordedRows = (name: string): ReadonlyArray<unknown> =>
  recordedBytes(name).toString("utf8").split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line) as unknown
  )
