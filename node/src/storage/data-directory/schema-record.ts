import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Effect from "effect/Effect"
import type { Disk } from "../disk/disk.ts"
import { diskError } from "../disk/disk-error.ts"
import { readRegular } from "../disk/regular-file.ts"
import { StorageError } from "../storage-error.ts"
import type { DataDirectory } from "./layout.ts"

/** The version of all data that this node writes into its data directory. Raised when an older node could misread them. */
export const SCHEMA_VERSION = 1

interface SchemaRecord {
  readonly schema: number
  readonly network: string
}

const refusal = (reason: StorageError["reason"], path: string, message: string): StorageError =>
  new StorageError({ part: "data-directory", operation: "read", reason, path, message })

const parse = (text: string): SchemaRecord | undefined => {
  try {
    const record: unknown = JSON.parse(text)
    if (typeof record !== "object" || record === null || !("schema" in record) || !("network" in record)) {
      return undefined
    }
    const { network, schema } = record
    if (!Number.isInteger(schema) || (schema as number) < 1 || typeof network !== "string") return undefined
    // A newer version may know networks that this one does not.
    const isKnown = Object.hasOwn(NETWORKS, network) || (schema as number) > SCHEMA_VERSION
    return isKnown ? { schema: schema as number, network } : undefined
  } catch {
    return undefined
  }
}

const faultOf = (
  { directory, schema: path }: DataDirectory,
  text: string,
  network: NetworkName
): StorageError | undefined => {
  const record = parse(text)
  if (record === undefined) {
    const remedy =
      "Restore it from a copy; when all data here is of this version of the node, remove it and start again."
    return refusal(
      "corrupt",
      path,
      `The file ${path}, which says what the data directory holds, cannot be read. ${remedy}`
    )
  }
  if (record.schema > SCHEMA_VERSION) {
    const remedy =
      "Run that newer version, or choose another data directory; if none ever ran here, restore the file from a copy. Nothing was changed."
    return refusal(
      "newer",
      path,
      `The data directory ${directory} was written by a newer version of the node (schema ${record.schema}; this version knows up to ${SCHEMA_VERSION}), says its schema.json. ${remedy}`
    )
  }
  if (record.network !== network) {
    const remedy = "Choose another data directory, or the network it belongs to."
    return refusal(
      "io",
      path,
      `The data directory ${directory} belongs to the network ${record.network}, not to ${network}, says its schema.json. ${remedy}`
    )
  }
  return undefined
}

/** Rejects data of a newer version or another network, and writes the record into a new directory. */
export const settleSchema = (
  layout: DataDirectory,
  network: NetworkName,
  disk: Disk
): Effect.Effect<void, StorageError> =>
  Effect.gen(function*() {
    const path = layout.schema
    const text = yield* Effect.try({
      try: () => readRegular(path)?.toString(),
      catch: (cause) => diskError("data-directory", "read", path, cause)
    })
    if (text === undefined) {
      const record: SchemaRecord = { schema: SCHEMA_VERSION, network }
      return yield* disk.replaceFile(path, new Uint8Array(Buffer.from(`${JSON.stringify(record)}\n`)))
    }
    const fault = faultOf(layout, text, network)
    if (fault !== undefined) return yield* fault
  })
