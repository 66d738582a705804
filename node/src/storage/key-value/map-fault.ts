import { loadKoffi } from "@lockstep/crypto/native-memory.ts"
import * as fs from "node:fs"
import { getSystemErrorMap } from "node:util"
import { join } from "node:path"
import { closeFile } from "../disk/close-file.ts"
import { removeLeftover } from "../disk/remove-leftover.ts"

/** How an engine maps its files. */
export interface Mapping {
  readonly bytes: number
  /** Whether the file is open for writing: some file systems do not map such a file shared. */
  readonly isOpenForWriting: boolean
  /** Whether what is mapped is written to. */
  readonly isWritable: boolean
}

/** Files cannot be mapped into memory where a store is; the message is the system's. */
export class Unmappable extends Error {
  override readonly name = "Unmappable"
}

const PAGE = 4_096

const [READ, WRITE, SHARED] = [1, 2, 1]

/** What the call returns where it fails. */
const FAILED = -1n

interface Calls {
  /** Maps an open file, and unmaps it again; answers the number of the system's error, or 0. */
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
    // Not every system has these calls under these names.
    return undefined
  }
}

/** The system's code and words for an error by its number, such as `ENODEV: no such device`. */
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
 * Why files in a directory cannot be mapped into memory like this, as the system says it; none: they can, or nothing can
 * be said. LMDB kills the process when its own call fails, and LevelDB makes every later read an error. It takes no room
 * on the disk.
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
    // What keeps files from being made here is said where the store is opened.
    return undefined
  } finally {
    removeLeftover(path)
  }
}

/** Throws {@link Unmappable} where there is a {@link mapFault}. */
export const demandMappable = (directory: string, mapping: Mapping): void => {
  const fault = mapFault(directory, mapping)
  if (fault !== undefined) throw new Unmappable(fault)
}
