import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"

/** A step of a recorded conversation. Hashes are as people write them, everything else is hex in wire order. */
export interface Row {
  readonly s: string
  /** The connection. */
  readonly c?: number
  readonly d: "scenario" | "connect" | "send" | "recv" | "closed-by-node" | "close-by-peer" | "rpc" | "effect"
  readonly t?: string
  readonly p?: string
  readonly raw?: string
  readonly m?: string
  readonly params?: ReadonlyArray<unknown>
  readonly result?: unknown
  readonly what?: string
  readonly note?: string
  readonly blockHash?: string
  readonly disconnected?: boolean
  readonly closedByNode?: boolean
  readonly best?: string
}

/** What was recorded about one thing. */
export interface Scenario {
  readonly name: string
  readonly what: string
  readonly rows: ReadonlyArray<Row>
}

const root = process.env["LOCKSTEP_VECTORS"] ?? ""

const pathOf = (name: string): string => join(root, "oracle", name)

/** Whether the reference vectors are at hand. */
export const areRecorded = root !== "" && existsSync(pathOf("p2p/transcripts.jsonl.gz"))

export const recordedBytes = (name: string): Uint8Array => {
  const bytes = readFileSync(pathOf(name))
  return new Uint8Array(name.endsWith(".gz") ? gunzipSync(bytes) : bytes)
}

export const recordedText = (name: string): string => Buffer.from(recordedBytes(name)).toString("utf8")

/** All scenarios of a file, in order. */
export const scenariosOf = (name: string): ReadonlyArray<Scenario> => {
  const lines = recordedText(name).trim().split("\n").slice(1)
  const found = new Map<string, { readonly name: string; readonly what: string; readonly rows: Array<Row> }>()
  for (const line of lines) {
    const row = JSON.parse(line) as Row
    const scenario = found.get(row.s) ?? { name: row.s, what: row.what ?? "", rows: [] }
    found.set(row.s, scenario)
    if (row.d !== "scenario") scenario.rows.push(row)
  }
  return [...found.values()]
}

export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

/** Bytes of a hash that people write. */
export const hashOf = (display: string): Uint8Array => bytesOf(display).reverse()

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
