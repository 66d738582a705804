import { loadKoffi } from "@lockstep/crypto/native-memory.ts"
import * as fs from "node:fs"
import { getSystemErrorMap } from "node:util"
import { join } from "node:path"
import { closeFile } from "../disk/close-file.ts"
import { removeLeftover } from "../disk/remove-leftover.ts"

/** The way in which an engine maps its files. */
export interface Mapping {
  readonly bytes: number
  /** True if the file is open for writing: some file systems do not map such a file shared. */
  readonly isOpenForWriting: boolean
  /** True if the mapped memory is written to. */
  readonly isWritable: boolean
}

/** Files cannot be mapped into memory in the store's directory. The message is the system's. */
export class Unmappable extends Error {
  override readonly name = "Unmappable"
}

const PAGE = 4_096

const [READ, WRITE, SHARED] = [1, 2, 1]

/** Return value of a failed call. */
const FAILED = -1n

interface Calls {
  /** Maps an open file and unmaps it again. Returns the system's error number, or 0. */
  readonly tryMap: (descriptor: number, mapping: Mapping) => number
}

const callsOfSystem = (): Calls | undefined => {
  const koffi = loadKoffi()
  if (!koffi.ok) return undefined
  try {
    const library = koffi.value.load(null)
    const map = library.func(
      "intptr_t mmap(void *address, size_t size, int protection, int flags, int descriptor, int64_t offset)"
    ) as (...args: ReadonlyArray<unknown>) => bigint | number
    const unmap = library.func("int munmap(intptr_t address, size_t size)") as (
      ...args: ReadonlyArray<unknown>
    ) => number
    return {
      tryMap: (descriptor, { bytes, isWritable }) => {
        const address = map(null, bytes, isWritable ? READ | WRITE : READ, SHARED, descriptor, 0)
        if (BigInt(address) === FAILED) return koffi.value.errno()
        unmap(address, bytes)
        return 0
      }
    }
  } catch {
    // Some systems lack these calls or name them otherwise.
    return undefined
  }
}

/** Returns code and text of a system error by its number, such as `ENODEV: no such device`. */
const errorText = (number: number): string => {
  const [code, words] = getSystemErrorMap().get(-number) ?? [String(number), "unknown error"]
  return `${code}: ${words}`
}

const tryFile = (path: string, flags: "r" | "r+", { tryMap }: Calls, mapping: Mapping): string | undefined => {
  const descriptor = fs.openSync(path, flags)
  try {
    const number = tryMap(descriptor, mapping)
    return number === 0 ? undefined : errorText(number)
  } finally {
    closeFile(descriptor)
  }
}

/**
 * Returns the system's reason why files in a directory cannot be mapped like this. Returns `undefined` if they can, or
 * if that is unknown. LMDB kills the process when its own call fails, and LevelDB turns every later read into an error.
 * The test takes no disk space.
 */
export const mapFault = (directory: string, mapping: Mapping): string | undefined => {
  const calls = callsOfSystem()
  if (calls === undefined) return undefined
  const path = join(directory, "map.tmp")
  try {
    fs.writeFileSync(path, "", { mode: 0o600 })
    fs.truncateSync(path, PAGE)
    return tryFile(path, mapping.isOpenForWriting ? "r+" : "r", calls, mapping)
  } catch {
    // If no file can be made here, opening the store reports that.
    return undefined
  } finally {
    removeLeftover(path)
  }
}

/** Throws {@link Unmappable} if {@link mapFault} returns a reason. */
export const demandMappable = (directory: string, mapping: Mapping): void => {
  const fault = mapFault(directory, mapping)
  if (fault !== undefined) throw new Unmappable(fault)
}
