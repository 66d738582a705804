import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import { testCrypto } from "../../engine/test-engine.ts"
import { contentOf } from "./content.ts"
import { call, type Frame, type Line } from "./line.ts"
import type { ReplayNode } from "./replay-node.ts"
import { bytesOf, hashOf, hexOf, type Row, type Scenario } from "./scenarios.ts"
import { patience } from "../../process/patience.ts"

/** Milliseconds that an answer may take. */
export const PATIENCE = patience(4_000)
/** Milliseconds that are waited for what must not come. */
const QUIET = 30

/** What goes on between a script and the node. Connections last over scenarios. */
export interface Replay {
  readonly node: ReplayNode
  readonly lines: Map<number, Line>
  /** What differed from the recording. */
  readonly differences: Array<string>
  /** Milliseconds that an answer may take. */
  patience: number
}

export const replayOf = (node: ReplayNode): Replay => ({ node, lines: new Map(), differences: [], patience: PATIENCE })

const isSmallTalk = ({ command }: Frame): boolean => command === "ping" || command === "pong"

/** Addresses are passed on at times of chance, so they may come where none was recorded. */
const isByChance = ({ command }: Frame): boolean => command === "addr" || command === "addrv2"

const short = (text: string): string => text.length > 200 ? `${text.slice(0, 200)}…` : text

const shown = ({ command, payload }: Frame): string => short(`${command} ${contentOf(command, payload)}`)

const isPing = ({ command }: Frame): boolean => command === "ping"

/**
 * Where in what was received the recorded message is. The order counts: a pong above all says that everything before it is
 * answered. It may be late itself, as what time brings about may come before it, and a ping may come whenever it is
 * time.
 */
const placeOf = ({ received }: Line, command: string, content: string): number =>
  received.findIndex((each, i) =>
    each.command === command && contentOf(each.command, each.payload) === content &&
    (isSmallTalk(each) || received.slice(0, i).every(isPing))
  )

/** Takes the recorded message out of what was received, and says how it differs when it is not there. */
const expect = Effect.fnUntraced(function*(replay: Replay, line: Line, row: Row) {
  const [command, payload] = [row.t!, bytesOf(row.p!)]
  const content = contentOf(command, payload)
  const place = yield* line.until(() => {
    const found = placeOf(line, command, content)
    if (found >= 0) return found
    const other = line.received.find((each) => !isSmallTalk(each))
    return line.isClosed() || (!isSmallTalk({ command, payload }) && other !== undefined) ? -1 : undefined
  }, replay.patience)
  if (place !== undefined && place >= 0) return line.received.splice(place, 1)[0]
  const first = line.received.findIndex((each) => each.command === command)
  const received = line.received.map(shown).join(" | ")
  const how = line.isClosed() ? "the connection is closed" : "received"
  replay.differences.push(`${row.s}: expected ${shown({ command, payload })}; ${how}: ${received}`)
  if (first >= 0) line.received.splice(first, 1)
  return undefined
})

const inPool = ({ chain }: ReplayNode, txid: unknown): boolean => chain.mempool.has("txid", hashOf(String(txid)))

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** What was said before, up to the last pong, shows at once: nothing is waited for. */
const rpc = Effect.fnUntraced(function*({ differences, node }: Replay, row: Row) {
  const [first] = row.params ?? []
  const demand = (isGood: boolean, what: string): void => {
    if (!isGood) differences.push(`${row.s}: ${row.m}: ${what}`)
  }
  switch (row.m) {
    case "setmocktime":
      return yield* node.setTime(Number(first))
    case "sendrawtransaction": {
      const answer = yield* node.chain.acceptTransaction(bytesOf(String(first)))
      return demand(
        answer?._tag === "Accepted" || answer?._tag === "InMempool",
        JSON.stringify(answer?._tag === "Rejected" ? answer.rejection : answer?._tag)
      )
    }
    case "submitblock":
      yield* node.engine.call("submitBlock", { bytes: bytesOf(String(first)) })
      return undefined
    case "getbestblockhash":
      return demand(node.best() === row.result, `${node.best()} instead of ${String(row.result)}`)
    case "getmempoolentry":
      return demand(inPool(node, first), `${String(first)} is not in the pool`)
    case "getrawmempool-contains": {
      const wanted = [row.result].flat()
      const there = () => (row.params ?? []).map((each) => inPool(node, each))
      return demand(isSame(there(), wanted), `${JSON.stringify(there())}`)
    }
    default:
      return demand(false, "is not known here")
  }
})

/** The node's own ping must be answered with its own number. */
const send = (line: Line, row: Row, pinged: Uint8Array | undefined): void => {
  if (row.raw !== undefined) line.sendBytes(bytesOf(row.raw))
  else line.send(row.t!, row.t === "pong" && pinged !== undefined ? pinged : bytesOf(row.p!))
}

/** A scenario while it is played. */
interface Scene {
  readonly replay: Replay
  readonly rows: ReadonlyArray<Row>
  /** Numbers of pings that were expected and are to be answered. */
  readonly pings: Map<number, Uint8Array>
  wasClosed: boolean
}

const isAnyClosed = ({ replay, rows, wasClosed }: Scene): boolean =>
  wasClosed || rows.some(({ c }) => c !== undefined && replay.lines.get(c)?.isClosed() === true)

const nodeCloses = Effect.fnUntraced(function*(scene: Scene, line: Line, row: Row) {
  const { differences, lines, patience: longest } = scene.replay
  const closed = yield* line.until(() => line.isClosed() || undefined, longest)
  scene.wasClosed = closed === true
  const received = line.received.map(shown).join(" | ")
  if (closed === undefined) differences.push(`${row.s}: the node did not end the connection; received ${received}`)
  else if (line.received.length > 0) differences.push(`${row.s}: before the end: ${received}`)
  line.close()
  lines.delete(row.c!)
})

/**
 * Whether a message announces by `inv` blocks that the peer itself sent. Bitcoin Core announces them too, but from
 * another thread than the one that answers, so that a peer which leaves after an answer may miss it.
 */
const isLate = ({ rows }: Scene, { command, payload }: Frame, connection: number | undefined): boolean => {
  const sent = rows
    .filter(({ c, d, t }) => c === connection && d === "send" && t === "block")
    .map(({ p }) => hexOf(testCrypto.sha256d(bytesOf(p!).subarray(0, 80))))
  const announced = command === "inv" ? decodeMessage(command, payload) : undefined
  return announced?._tag === "Success" &&
    announced.success.message.inventory.every(({ hash, type }) =>
      type === InventoryType.BLOCK && sent.includes(hexOf(hash))
    )
}

const peerCloses = Effect.fnUntraced(function*(scene: Scene, line: Line, row: Row) {
  const { differences, lines } = scene.replay
  yield* Effect.sleep(QUIET)
  const more = line.received.filter((frame) => !isByChance(frame) && !isLate(scene, frame, row.c))
  if (more.length > 0) differences.push(`${row.s}: not recorded, on ${row.c}: ${more.map(shown).join(" | ")}`)
  if (line.isClosed()) differences.push(`${row.s}: the node ended the connection`)
  line.close()
  lines.delete(row.c!)
})

const onLine = Effect.fnUntraced(function*(scene: Scene, line: Line, row: Row) {
  const { pings, replay } = scene
  switch (row.d) {
    case "send":
      send(line, row, pings.get(row.c!))
      pings.delete(row.c!)
      return
    case "recv": {
      const received = yield* expect(replay, line, row)
      if (received?.command === "ping") pings.set(row.c!, received.payload)
      return
    }
    case "closed-by-node":
      return yield* nodeCloses(scene, line, row)
    default:
      return yield* peerCloses(scene, line, row)
  }
})

const step = Effect.fnUntraced(function*(scene: Scene, row: Row) {
  const { differences, lines, node } = scene.replay
  const line = lines.get(row.c ?? -1)
  if (row.d === "connect") lines.set(row.c!, line ?? (yield* call(node.port)))
  else if (row.d === "rpc") yield* rpc(scene.replay, row)
  else if (row.d === "effect") {
    const closed = isAnyClosed(scene)
    if (closed !== row.disconnected) differences.push(`${row.s}: disconnected ${closed}, recorded ${row.disconnected}`)
  } else if (line === undefined) differences.push(`${row.s}: no connection ${row.c}`)
  else yield* onLine(scene, line, row)
})

/** Plays one scenario; what differs is added to the differences. */
export const play = Effect.fnUntraced(function*(replay: Replay, { rows }: Scenario) {
  const scene: Scene = { replay, rows, pings: new Map(), wasClosed: false }
  for (const row of rows) yield* step(scene, row)
})
