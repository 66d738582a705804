import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import { requestFailed } from "./api-call.ts"

const MAX_PATH = 1_024
const MAX_PART_BYTES = 255
const MAX_DEPTH = 32

/** How names begin that the node writes files under before they are complete. */
export const UNFINISHED = ".lockstep-unfinished-"

/** The names on the way to a file, from the data directory on; the file's own is the last. */
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
 * The parts of a path that a module gives, relative to its data directory, with `/` between them; `.` and the empty text are the
 * directory itself. Answers the refusal where it leads elsewhere.
 */
export const confinedPath = (path: string): ConfinedPath | IpcError => {
  if (path === "" || path === ".") return []
  if (path.length > MAX_PATH) return requestFailed(`a path has up to ${MAX_PATH} characters`)
  const parts = path.split("/")
  // A backslash and a colon separate parts, or name a volume, on Windows.
  if (path.startsWith("/") || /[\\:]/.test(path) || parts.includes("..")) return leaves(path)
  if (parts.includes(".") || parts.length > MAX_DEPTH) {
    return requestFailed(`a path has up to ${MAX_DEPTH} parts, none of them "."`)
  }
  const fault = parts.map(partFault).find((each) => each !== undefined)
  return fault === undefined ? parts : requestFailed(`${JSON.stringify(path)} has ${fault}`)
}
