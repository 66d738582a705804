import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { fromHex } from "./hex.ts"

const root = process.env["LOCKSTEP_VECTORS"]

/** Where a recorded file is; nothing where the reference vectors are not at hand. */
export const recorded = (path: string): string | undefined => {
  const file = root === undefined ? undefined : join(root, path)
  return file !== undefined && existsSync(file) ? file : undefined
}

export const bytesAt = (file: string): Uint8Array =>
  Uint8Array.from(file.endsWith(".gz") ? gunzipSync(readFileSync(file)) : readFileSync(file))

const textAt = (file: string): string => Buffer.from(bytesAt(file)).toString("utf8")

/** A message of a recorded conversation, or bytes that were none. */
export interface RecordedRow {
  readonly scenario: string
  readonly command: string | undefined
  readonly payload: Uint8Array
}

/** Every row of a conversation that carries bytes. */
export const conversation = (file: string): ReadonlyArray<RecordedRow> =>
  textAt(file)
    .trim()
    .split("\n")
    .flatMap((line): ReadonlyArray<RecordedRow> => {
      const row = JSON.parse(line) as { s?: string; t?: string; p?: string; raw?: string }
      const bytes = row.raw ?? row.p
      return bytes === undefined ? [] : [{ scenario: row.s!, command: row.t, payload: fromHex(bytes) }]
    })

/** Frames of the main network by the name they have in their file. */
export const frames = (file: string): ReadonlyArray<readonly [string, Uint8Array]> =>
  Object.entries(JSON.parse(textAt(file)) as Record<string, Record<string, string>>).flatMap(([name, forms]) =>
    Object.entries(forms)
      .filter(([form]) => form.startsWith("message"))
      .map(([form, hex]) => [`${name}.${form}`, fromHex(hex)] as const)
  )

export const jsonAt = (file: string): unknown => JSON.parse(textAt(file))
