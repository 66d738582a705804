import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import { requestFailed } from "./api-call.ts"

const MAX_PATH = 1_024
const MAX_PART_BYTES = 255
const MAX_DEPTH = 32

/** Prefix of the names under which the node writes incomplete files. */
export const UNFINISHED = ".lockstep-unfinished-"

/** Names of a path below the data directory, the last one being the file's own. */
export type ConfinedPath = ReadonlyArray<string>

const leaves = (path: string): IpcError => ({
  kind: "PermissionDenied",
  text: `${JSON.stringify(path)} leads out of the module's data directory`
})

const partFault = (part: string): string | undefined => {
  if (part === "" || part.includes("\0")) return "an empty part or a zero byte"
  if (part.startsWith(UNFINISHED)) return "a name that the node uses"
  return Buffer.byteLength(part) > MAX_PART_BYTES ? `a name of more than ${MAX_PART_BYTES} bytes` : undefined
}

/**
 * Splits a path that a module names, relative to its data directory and separated by `/`. `.` and the empty text mean
 * the directory itself. Returns an error if the path leads outside.
 */
export const confinedPath = (path: string): ConfinedPath | IpcError => {
  if (path === "" || path === ".") return []
  if (path.length > MAX_PATH) return requestFailed(`a path has up to ${MAX_PATH} characters`)
  const parts = path.split("/")
  // On Windows a backslash and a colon separate parts or name a volume.
  if (path.startsWith("/") || /[\\:]/.test(path) || parts.includes("..")) return leaves(path)
  if (parts.includes(".") || parts.length > MAX_DEPTH) {
    return requestFailed(`a path has up to ${MAX_DEPTH} parts, none of them "."`)
  }
  const fault = parts.map(partFault).find((each) => each !== undefined)
  return fault === undefined ? parts : requestFailed(`${JSON.stringify(path)} has ${fault}`)
}
