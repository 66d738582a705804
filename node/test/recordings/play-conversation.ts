import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { answerDiffers } from "./answers.ts"
import { type Conversation, type Row, withBlocks } from "./conversation.ts"
import { type Exception, exceptionFor } from "./exceptions.ts"
import { bytesOf } from "./message-content.ts"
import {
  blocksCame,
  leftover,
  linkedPeer,
  longest,
  receive,
  relay,
  untilHolds,
  type Waits,
  waits
} from "./play-messages.ts"
import { playPublished, publishedBeyond, subscribe } from "./play-zmq.ts"
import { refusedStart } from "./refused-start.ts"
import {
  follow,
  kill,
  rawCall,
  recordedNode,
  type RecordedNode,
  setClock,
  start,
  stop,
  withPorts
} from "./recorded-node.ts"
import { inboundPeer, listener, type TestPeer } from "./test-peer.ts"

export interface Difference {
  readonly row: Row
  readonly text: string
  /** The last note before the row, which says what the rows are about. */
  readonly note: string | undefined
}

export interface Outcome {
  readonly rows: number
  /** Rows that nothing here can play. */
  readonly skipped: number
  readonly differences: ReadonlyArray<Difference>
  readonly excepted: ReadonlyArray<Exception>
  /** Whether all rows were played. */
  readonly isComplete: boolean
}

export interface PlayOptions {
  /** Differences of rows before this one are not reported. */
  readonly from: number
  /** After so many a conversation is given up. */
  readonly maxDifferences: number
}

interface Stage {
  readonly conversation: Conversation
  readonly nodes: ReadonlyArray<RecordedNode>
  readonly waits: Waits
}

type Play = (stage: Stage, row: Row, index: number) => Promise<ReadonlyArray<string>>

const NONE: ReadonlyArray<string> = []

const some = (text: string | undefined): ReadonlyArray<string> => (text === undefined ? NONE : [text])

const withPlaces = ({ conversation, nodes }: Stage, text: string): string =>
  withBlocks(text, conversation.blocks)
    .replace(/\{datadir(\d)\}/g, (whole, index: string) => nodes[Number(index)]?.directory ?? whole)

const nodeOf = ({ nodes }: Stage, { n }: Row): RecordedNode => nodes[n ?? 0]!

const meant = (stage: Stage, row: Row, value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(withPorts(nodeOf(stage, row), withPlaces(stage, JSON.stringify(value))))

const processed = async (stage: Stage, node: RecordedNode): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [name, peer] of node.peers) {
    if (!await peer.isProcessed(longest(stage.waits))) found.push(`${name}: the node does not answer a ping`)
  }
  return found
}

/** The first 199 blocks of many conversations lie beside those of the mempool. */
const cachedBlocks = (path: string): ReadonlyArray<Uint8Array> => {
  const file = [dirname(path), join(dirname(path), "../mempool")]
    .map((folder) => join(folder, "cache199.dat.gz"))
    .find((each) => existsSync(each))
  if (file === undefined) throw new Error(`there is no cache199.dat.gz beside ${path}`)
  const bytes = gunzipSync(readFileSync(file))
  const blocks: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += 8 + bytes.readUInt32LE(at + 4)) {
    blocks.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4)))
  }
  return blocks.slice(1)
}

const playStart: Play = async (stage, row) => {
  const node = nodeOf(stage, row)
  await start(node, row.args ?? [], row.at ?? 0)
  if (node.isNew && stage.conversation.startState === "cache199") {
    for (const block of cachedBlocks(stage.conversation.path)) {
      await rawCall(node, "submitblock", [Buffer.from(block).toString("hex")])
    }
  }
  node.isNew = false
  return []
}

/** Options that keep a node from starting are given to the program that takes them as they are. */
const playStartError: Play = async (_, row) => {
  const said = await refusedStart(row.args ?? [])
  if (said === undefined) return [`the node starts instead of failing with ${row.stderr}`]
  return said === row.stderr ? NONE : [`the start fails with ${said.trim()} instead of ${row.stderr}`]
}

const playStop: Play = async (stage, row) => {
  const node = nodeOf(stage, row)
  if (node.process === undefined) return ["the node does not run"]
  const extra = [...node.peers.values()].flatMap(leftover)
  const published = await publishedBeyond(node)
  const { exitCode, stderr } = await stop(node)
  return [
    ...extra.map((command) => `unexpected ${command}`),
    ...published,
    ...(exitCode === 0 ? NONE : [`exit code ${exitCode}: ${stderr}`])
  ]
}

const playBlocks: Play = async (stage, row) => {
  const node = nodeOf(stage, row)
  const found: Array<string> = []
  // Of blocks from another node no answer was recorded: they may be of a branch that is not active yet.
  const expected: ReadonlyArray<unknown> = row.from === "relay"
    ? [null, "inconclusive", "duplicate"]
    : [row.res ?? null, "duplicate"]
  for (const hash of row.hashes ?? []) {
    const { error, result } = await rawCall(node, "submitblock", [stage.conversation.blocks.get(hash)])
    if (error === null && expected.includes(result)) continue
    found.push(`submitblock ${hash}: ${error === null ? String(result) : error?.message} instead of ${row.res ?? null}`)
  }
  blocksCame(node, row.hashes?.length ?? 0)
  return found
}

const callAndCompare = async (
  stage: Stage,
  row: Row,
  params: unknown,
  expected: Row
): Promise<ReadonlyArray<string>> => {
  const node = nodeOf(stage, row)
  const meantAnswer = meant(stage, row, { result: expected.result, error: expected.error }) as typeof expected
  const once = async () => answerDiffers(row.m!, meantAnswer, await rawCall(node, row.m!, params))
  let differences = await once()
  if (row.poll !== true || differences.length === 0) return differences
  await untilHolds(node, stage.waits, async (milliseconds) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    differences = await once()
    return differences.length === 0
  })
  return differences
}

const playClock = async (node: RecordedNode, { at }: Row, seconds: number): Promise<void> => {
  node.hasOwnClock = seconds !== 0
  node.clock = seconds === 0 ? at ?? node.clock : seconds
  if (seconds === 0) await setClock(node, node.clock)
}

const playCall: Play = async (stage, row) => {
  const node = nodeOf(stage, row)
  const { error, result } = row
  const expected = { ...row, ...(error === undefined ? { result: meant(stage, row, result) } : {}) }
  let params = meant(stage, row, row.p ?? []) as ReadonlyArray<unknown>
  if (row.m === "addconnection") {
    const place = await listener()
    node.listeners.push(place)
    params = [place.address, ...params.slice(1)]
    return callAndCompare(stage, row, params, { ...row, result: { ...result as object, address: place.address } })
  }
  const differences = await callAndCompare(stage, row, params, expected)
  if (row.m === "setmocktime" && error === undefined) await playClock(node, row, Number(params[0]))
  if (row.m === "submitblock") blocksCame(node, 1)
  return differences
}

const playFile: Play = async (stage, { age, hex, path }) => {
  const place = withPlaces(stage, path!)
  if (typeof hex !== "string") {
    rmSync(place, { force: true })
    return NONE
  }
  writeFileSync(place, bytesOf(withPlaces(stage, hex)))
  const seconds = Date.now() / 1000 - (age ?? 0)
  utimesSync(place, seconds, seconds)
  return NONE
}

const playFileCheck: Play = async (stage, { hex, path }) => {
  const place = withPlaces(stage, path!)
  if (!existsSync(place)) return [`there is no ${path}`]
  const found = readFileSync(place)
  const expected = Buffer.from(String(hex), "hex")
  if (found.equals(expected)) return NONE
  const at = expected.findIndex((byte, i) => byte !== found[i])
  return [`${path}: ${found.length} bytes instead of ${expected.length}, different from byte ${at} on`]
}

const connected = async (stage: Stage, node: RecordedNode, { dir }: Row): Promise<TestPeer | string> => {
  if (dir === "inbound") return inboundPeer(node.port)
  if (dir === "inbound-onion") return "there is no port for onion services"
  const place = node.listeners.pop()
  const peer = await place?.accepted(longest(stage.waits))
  place?.close()
  return peer ?? "the node does not connect"
}

const playConnect: Play = async (stage, row) => {
  const node = nodeOf(stage, row)
  const peer = await connected(stage, node, row)
  if (typeof peer === "string") return [peer]
  node.peers.set(String(row.c), peer)
  return NONE
}

const playLink: Play = async (stage, row) => {
  const node = nodeOf(stage, row)
  node.peers.set(String(row.c), await linkedPeer(node, stage.waits))
  return NONE
}

/** Plays what a connection does, where there is one. */
const onPeer = (
  play: (stage: Stage, row: Row, peer: TestPeer, index: number) => Promise<ReadonlyArray<string>>
): Play =>
async (stage, row, index) => {
  const peer = nodeOf(stage, row).peers.get(String(row.c))
  return peer === undefined ? [`there is no connection ${row.c}`] : play(stage, row, peer, index)
}

const playSend = onPeer(async (stage, row, peer) => {
  if (peer.isClosed()) return ["the node has closed the connection"]
  if (row.raw === undefined) peer.send(row.t!, bytesOf(withPlaces(stage, String(row.p ?? ""))))
  else peer.sendBytes(bytesOf(row.raw))
  if (row.t === "block" || row.t === "cmpctblock" || row.t === "blocktxn") blocksCame(nodeOf(stage, row), 1)
  return NONE
})

const playReceive = onPeer(async (stage, row, peer, index) =>
  some(await receive(nodeOf(stage, row), stage.waits, peer, row, stage.conversation.rows.slice(index + 1, index + 60)))
)

const playClose = onPeer(async (stage, _row, peer) => {
  const wasClosed = peer.isClosed() && !peer.isOver
  peer.isOver = true
  // What the node does when a peer is gone is done before the next call.
  await peer.leave(longest(stage.waits))
  return wasClosed ? ["the node has closed the connection"] : leftover(peer).map((command) => `unexpected ${command}`)
})

const playClosed = onPeer(async (stage, row, peer) => {
  const node = nodeOf(stage, row)
  const mustClose = row.by === "node" || row.by === "disconnectnode"
  const isClosed = !mustClose ||
    await untilHolds(node, stage.waits, (milliseconds) => peer.until(peer.isClosed, milliseconds))
  if (row.by !== "stop") peer.close()
  peer.isOver = true
  return isClosed ? NONE : ["the node does not close the connection"]
})

const playUnlink = onPeer(async (stage, row, peer) => {
  peer.close()
  nodeOf(stage, row).peers.delete(String(row.c))
  return NONE
})

const nothing: Play = async () => NONE

const PLAYS: Readonly<Record<string, Play>> = {
  start: playStart,
  start_error: playStartError,
  stopped: playStop,
  kill: async (stage, row) => {
    await kill(nodeOf(stage, row))
    return NONE
  },
  def: nothing,
  note: nothing,
  blocks: playBlocks,
  rpc: playCall,
  file: playFile,
  filecheck: playFileCheck,
  connect: playConnect,
  send: playSend,
  recv: playReceive,
  close: playClose,
  closed: playClosed,
  link: playLink,
  unlink: playUnlink,
  zmqbase: async (stage, row) => {
    const started = stage.conversation.rows.find(({ n, op }) => op === "start" && n === row.n)
    await subscribe(nodeOf(stage, row), started?.args ?? [])
    return NONE
  },
  zmq: (stage, row) => playPublished(nodeOf(stage, row), row, longest(stage.waits)),
  relay: onPeer(async (stage, row, peer) => some(await relay(nodeOf(stage, row), stage.waits, peer, row)))
}

/** Rows before which all that peers have sent must be processed. */
const AFTER_MESSAGES = new Set(["rpc", "blocks", "stopped", "close", "unlink"])

/** Rows that need no running node. */
const WITHOUT_NODE = new Set(["start", "start_error", "def", "note", "file", "filecheck", "stopped", "kill"])

const playRow = async (stage: Stage, row: Row, index: number): Promise<ReadonlyArray<string>> => {
  const node = nodeOf(stage, row)
  const play = PLAYS[row.op]
  if (play === undefined) return NONE
  if (node.process === undefined && !WITHOUT_NODE.has(row.op)) return ["the node does not run"]
  const unanswered = AFTER_MESSAGES.has(row.op) ? await processed(stage, node) : NONE
  if (row.op !== "start" && row.op !== "start_error") await follow(node, row.at)
  return [...unanswered, ...await play(stage, row, index)]
}

/** Plays a conversation to processes of ours, row by row, and lists what is not as recorded. */
export const playConversation = async (conversation: Conversation, options: PlayOptions): Promise<Outcome> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-recordings-"))
  const nodes = Array.from({ length: conversation.nodes }, (_, index) => recordedNode(root, index))
  const stage: Stage = { conversation, nodes, waits: waits() }
  const differences: Array<Difference> = []
  const excepted: Array<Exception> = []
  let [rows, skipped] = [0, 0]
  let note: string | undefined
  try {
    for (const [index, row] of conversation.rows.entries()) {
      if (row.op === "note") note = row.text
      let isOver = false
      const found = await playRow(stage, row, index).catch((error: unknown) => {
        isOver = true
        return [`the conversation ends here: ${error instanceof Error ? error.message : String(error)}`]
      })
      rows++
      if (PLAYS[row.op] === undefined) skipped++
      for (const text of row.i < options.from ? NONE : found) {
        const exception = exceptionFor(conversation.name, row.i, text)
        if (exception === undefined) differences.push({ row, text, note })
        else excepted.push(exception)
      }
      if (isOver || differences.length >= options.maxDifferences) break
    }
    return { rows, skipped, differences, excepted, isComplete: rows === conversation.rows.length }
  } finally {
    for (const node of nodes) await kill(node)
    rmSync(root, { recursive: true, force: true })
  }
}
