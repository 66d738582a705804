import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { COMMANDS, isCommand } from "@lockstep/protocol/wire/codecs.ts"
import { compactBlockOf } from "@lockstep/protocol/wire/compact-block/compact-block-of.ts"
import { encodeMessage } from "@lockstep/protocol/wire/message.ts"
import { existsSync, readFileSync } from "node:fs"
import { join as joinPath } from "node:path"
import { gunzipSync } from "node:zlib"
import { fromHex, join } from "../../src/oracles/byte-string.ts"
import type { WireMessage } from "../target.ts"

const CONVERSATIONS = ["oracle/p2p/transcripts.jsonl.gz", "oracle/p2p/outbound.jsonl.gz"]

/** Longer payloads would only slow down what short ones show as well. */
const LARGEST_PAYLOAD = 20_000

/** Lists of one element, and the fields of a version: zeros that are a message. */
const PLAIN: ReadonlyArray<readonly [WireMessage["command"], string]> = [
  ["version", `${"00".repeat(80)}042f612f3a0000000001`],
  ["addr", `01${"00".repeat(30)}`],
  ["addrv2", `02000000000001040102030400000000000000${"0420"}${"00".repeat(34)}`],
  ["inv", `01${"00".repeat(36)}`],
  ["getheaders", `${"00".repeat(4)}01${"00".repeat(64)}`],
  ["headers", `01${"00".repeat(81)}`],
  ["getblocktxn", `${"00".repeat(32)}03000102`],
  ["cfheaders", `00${"00".repeat(64)}01${"00".repeat(32)}`],
  ["cfcheckpt", `00${"00".repeat(32)}01${"00".repeat(32)}`],
  ["cfilter", `00${"00".repeat(32)}03010203`],
  ["getcfilters", `00${"00".repeat(36)}`],
  // A filter of three bytes with five functions, and one that matches everything.
  ["filterload", "03614e9b050000000000000001"],
  ["filterload", "00010000000000000000"],
  ["filteradd", "0499108ad8"],
  ["merkleblock", `${"00".repeat(80)}0700000002${"11".repeat(64)}0103`],
  ["sendpackages", `03${"00".repeat(7)}`],
  ["ancpkginfo", `02${"00".repeat(32)}${"11".repeat(32)}`],
  ["getpkgtxns", `02${"00".repeat(32)}${"11".repeat(32)}`]
]

/** Messages of every command, and those that carry the given transactions and blocks. */
export const madeMessages = (
  transactions: ReadonlyArray<Uint8Array>,
  blocks: ReadonlyArray<Uint8Array>
): ReadonlyArray<WireMessage> => [
  ...COMMANDS.map((command) => ({ command, payload: new Uint8Array(40) })),
  ...PLAIN.map(([command, hex]) => ({ command, payload: fromHex(hex) })),
  ...transactions.slice(0, 100).flatMap((tx): ReadonlyArray<WireMessage> => [
    { command: "tx", payload: tx },
    { command: "blocktxn", payload: join(new Uint8Array(32), [2], tx, transactions[0]!) },
    { command: "pkgtxns", payload: join([2], transactions[0]!, tx) }
  ]),
  ...blocks.flatMap((bytes): ReadonlyArray<WireMessage> => {
    const block = decodeBlock(bytes)
    if (block._tag === "Failure" || block.success.transactions.length === 0 || bytes.length > LARGEST_PAYLOAD) return []
    return [{ command: "cmpctblock", payload: encodeMessage(compactBlockOf(block.success, 7n, nobleCrypto)) }]
  })
]

const messagesOf = (file: string): ReadonlyArray<WireMessage> => {
  const seen = new Set<string>()
  for (const line of gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n")) {
    const row = JSON.parse(line) as { t?: string; p?: string }
    if (row.t !== undefined && row.p !== undefined && row.p.length <= 2 * LARGEST_PAYLOAD) seen.add(`${row.t} ${row.p}`)
  }
  return [...seen].flatMap((each) => {
    const [command, payload] = each.split(" ") as [string, string]
    return isCommand(command) ? [{ command, payload: fromHex(payload) }] : []
  })
}

/** Every message of the recorded conversations once; those of files that are not there are left out. */
export const recordedMessages = (root: string): ReadonlyArray<WireMessage> =>
  CONVERSATIONS.map((path) => joinPath(root, path))
    .filter((file) => existsSync(file))
    .flatMap(messagesOf)
