import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { recordingsFolder } from "../../recordings/conversation.ts"

export const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** One row of a recorded scenario. */
export interface TranscriptRow {
  readonly s: string
  readonly d: "scenario" | "connect" | "accept" | "send" | "recv" | "effect" | "close-by-peer" | "closed-by-node"
  readonly what?: string
  readonly role?: "initiator" | "responder"
  readonly ourPrivateKey?: string
  readonly ourEllswift?: string
  readonly ourGarbage?: string
  readonly hex?: string
  /** Of a packet that we sent, before it was encrypted; null: of no interest. */
  readonly contents?: string | null
  readonly ignore?: boolean
  readonly aad?: string
  readonly disconnected?: boolean
  readonly peers?: ReadonlyArray<{ readonly transport_protocol_type: string; readonly session_id: string }>
  readonly packetsFromNode?: ReadonlyArray<
    { readonly contents: string; readonly type?: string; readonly payload?: string }
  >
  readonly theirEllswift?: string
  readonly ecdhSecret?: string
  readonly sessionId?: string
  readonly sendGarbageTerminator?: string
  readonly recvGarbageTerminator?: string
}

/** What a recorder and Bitcoin Core said to each other. */
export interface Scenario {
  readonly name: string
  readonly what: string
  readonly head: TranscriptRow
  readonly rows: ReadonlyArray<TranscriptRow>
  readonly effect: TranscriptRow
}

const folder = recordingsFolder("bip324")
const path = folder === undefined ? undefined : join(folder, "transcripts.jsonl.gz")

/** Every recorded scenario; none where the recordings are not at hand. */
export const scenarios = (): ReadonlyArray<Scenario> => {
  if (path === undefined || !existsSync(path)) return []
  const rows = gunzipSync(readFileSync(path)).toString().trim().split("\n").slice(1)
    .map((line) => JSON.parse(line) as TranscriptRow)
  return rows.filter(({ d }) => d === "scenario").map((head) => {
    const own = rows.filter(({ s }) => s === head.s)
    return { name: head.s, what: head.what ?? "", head, rows: own, effect: own.find(({ d }) => d === "effect")! }
  })
}
