import { createReadStream, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { createGunzip } from "node:zlib"
import { recordedFiles } from "./recorded-files.ts"

/** Where the recorded answers are, when they are at hand. */
export const recordings: string | undefined = process.env["LOCKSTEP_VECTORS"]

export interface RecordedError {
  readonly error: { readonly code: number; readonly message: string }
}

/** One step of a recording: what was done, and what Bitcoin Core was like afterwards. */
export interface Row {
  readonly i: number
  readonly op: string
  readonly args?: ReadonlyArray<string>
  readonly mocktime?: number
  readonly t?: number
  readonly hash?: string
  readonly hex?: string
  readonly rle?: ReadonlyArray<string | number | readonly [number, string]>
  readonly ref?: number
  readonly result?: string | null | RecordedError
  readonly best?: string
  readonly height?: number
  readonly headers?: number
  readonly utxo?: { readonly n: number; readonly amount: string; readonly muhash: string }
  readonly txoutset?: Readonly<Record<string, unknown>>
  readonly chaintips?: ReadonlyArray<
    { readonly hash: string; readonly height: number; readonly branchlen: number; readonly status: string }
  >
  readonly blockchaininfo?: { readonly chainwork: string; readonly mediantime: number }
}

/** The rows of a recording, one by one: some are larger than memory should be. */
export async function* rowsOf(path: string): AsyncGenerator<Row> {
  const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()), crlfDelay: Infinity })
  for await (const line of lines) if (line !== "") yield JSON.parse(line) as Row
}

const expand = (part: string | number | readonly [number, string]): string =>
  typeof part === "string" ? part : typeof part === "number" ? "00".repeat(part) : part[1].repeat(part[0])

/** The block of a row as digits; `earlier` are the rows before it that have digits. */
export const hexOfRow = (row: Row, earlier: ReadonlyMap<number, Row>): string | undefined => {
  if (row.hex !== undefined) return row.hex
  if (row.rle !== undefined) return row.rle.map(expand).join("")
  return row.ref === undefined ? undefined : hexOfRow(earlier.get(row.ref)!, earlier)
}

interface ManifestEntry {
  readonly path: string
  readonly largeReorgFromRow?: number
}

/** The recordings of verdicts, with the first row of each that needs a thousand large blocks. */
export const verdictFiles = (
  root: string
): ReadonlyArray<{ readonly name: string; readonly path: string; readonly upTo: number }> => {
  const names = recordedFiles("oracle/verdicts", "", root)
  if (names.length === 0) return []
  const { files } = JSON.parse(readFileSync(join(root, "oracle/MANIFEST.json"), "utf8")) as {
    files: ReadonlyArray<ManifestEntry>
  }
  return names.map((name) => ({
    name: name.slice(0, -".jsonl.gz".length),
    path: join(root, "oracle/verdicts", name),
    upTo: files.find(({ path }) => path.endsWith(name))?.largeReorgFromRow ?? Infinity
  }))
}
