import type { ClassicLevel } from "classic-level"
import * as fs from "node:fs"
import { isThere } from "../disk/regular-file.ts"
import { loadLibrary } from "./engine-lacking.ts"
import { demandMappable } from "./map-fault.ts"

export type LevelDatabase = ClassicLevel<Uint8Array, Uint8Array>

const OPTIONS = {
  keyEncoding: "view",
  valueEncoding: "view",
  // Coins and hashes cannot be compressed.
  compression: false,
  cacheSize: 16 << 20,
  writeBufferSize: 32 << 20,
  maxFileSize: 16 << 20
} as const

/** The mapping with which LevelDB reads a table. */
const TABLE = { bytes: OPTIONS.maxFileSize, isOpenForWriting: false, isWritable: false }

/** Reports whether a directory contains a LevelDB store, or the remains of one. */
export const levelHasData = (directory: string): boolean =>
  isThere(directory) && fs.readdirSync(directory).some((name) => /^CURRENT$|\.(?:ldb|sst|log)$/.test(name))

/** Opens the LevelDB store in `directory`, or makes one. */
export const openLevelDatabase = async (directory: string): Promise<LevelDatabase> => {
  const { ClassicLevel } = await loadLibrary("classic-level", () => import("classic-level"))
  demandMappable(directory, TABLE)
  const db: LevelDatabase = new ClassicLevel<Uint8Array, Uint8Array>(directory, OPTIONS)
  await db.open()
  return db
}
