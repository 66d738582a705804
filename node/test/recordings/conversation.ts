import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { gunzipSync } from "node:zlib"

/** One step of a recorded conversation with one or more nodes of Bitcoin Core. Each `op` has its own members. */
export interface Row {
  readonly i: number
  readonly op: string
  /** The node. */
  readonly n?: number
  /** The clock of the node, in Unix seconds. */
  readonly at?: number
  readonly args?: ReadonlyArray<string>
  readonly stderr?: string
  readonly hash?: string
  readonly hex?: string | null
  readonly hashes?: ReadonlyArray<string>
  readonly from?: string
  readonly m?: string
  readonly p?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly poll?: boolean
  readonly path?: string
  readonly age?: number
  /** The connection. */
  readonly c?: string
  readonly dir?: string
  readonly t?: string
  readonly raw?: string
  readonly by?: string
  /** What `submitblock` answered, unless it accepted the block. */
  readonly res?: string
  readonly other?: number
  readonly text?: string
  readonly topic?: string
  /** Messages of ZeroMQ, each as its frames. */
  readonly frames?: ReadonlyArray<ReadonlyArray<string>>
}

export interface Conversation {
  readonly name: string
  readonly path: string
  readonly nodes: number
  readonly startState: "genesis" | "cache199"
  readonly rows: ReadonlyArray<Row>
  /** Serializations of the blocks that rows name, by hash. */
  readonly blocks: ReadonlyMap<string, string>
}

/** The folder of recordings beside the reference vectors; none where it is not at hand. */
export const recordingsFolder = (name = ""): string | undefined => {
  const vectors = process.env["LOCKSTEP_VECTORS"]
  const folder = vectors === undefined ? undefined : join(vectors, "../recordings", name)
  return folder !== undefined && existsSync(folder) ? folder : undefined
}

const ENDING = ".jsonl.gz"

const textOf = (path: string): string => gunzipSync(readFileSync(path)).toString("utf8")

/** `{0:12}` stands for twelve zeros, before the line is JSON. */
const expanded = (line: string): string => line.replace(/\{0:(\d+)\}/g, (_, count: string) => "0".repeat(Number(count)))

/** What a file has recorded; none: it is no conversation. */
export const conversationAt = (path: string): Conversation | undefined => {
  const lines = textOf(path).split("\n").filter((line) => line !== "")
  const head = JSON.parse(expanded(lines[0] ?? "{}")) as Row & Pick<Conversation, "nodes" | "startState">
  if (head.op !== "conversation") return undefined
  const rows = lines.slice(1).map((line) => JSON.parse(expanded(line)) as Row)
  const blocks = new Map(rows.flatMap(({ hash, hex, op }) => op === "def" ? [[hash!, hex!] as const] : []))
  return { name: basename(path, ENDING), path, nodes: head.nodes, startState: head.startState, rows, blocks }
}

/** The files of a folder that may be conversations, those named first where names are given. */
export const conversationFiles = (folder: string, names: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const found = readdirSync(folder).filter((name) => name.endsWith(ENDING)).toSorted()
  const wanted = names.length === 0 ? found : found.filter((name) => names.includes(basename(name, ENDING)))
  return wanted.map((name) => join(folder, name))
}

/** Blocks that rows name inside of strings: `{block:H}` is the serialization of the one with that hash. */
export const withBlocks = (text: string, blocks: ReadonlyMap<string, string>): string =>
  text.replace(/\{block:([0-9a-f]{64})\}/g, (whole, hash: string) => blocks.get(hash) ?? whole)
