import { assert, describe, it } from "@effect/vitest"
import { blockHash, headerOf } from "@lockstep/kernel/model"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { recordedFiles } from "../../acceptance/recorded-files.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { type Line, lineOn } from "./line.ts"
import { PATIENCE, play, replayOf } from "./replay.ts"
import { recordedBlocks, replayNode, type ReplayNode } from "./replay-node.ts"
import { areRecorded, bytesOf, hexOf, type Row, type Scenario, scenariosOf } from "./scenarios.ts"

/** The one connection of each of these scenarios. */
const CONNECTION = 1

/** Waits for the node to connect, and takes the connection. */
const calledBy = Effect.fnUntraced(function*(node: ReplayNode) {
  const sockets: Array<Socket> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((socket) => void sockets.push(socket))
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        made.close()
      })
  )
  node.p2p.connections.manual.once(`127.0.0.1:${(server.address() as AddressInfo).port}`)
  while (sockets.length === 0) yield* Effect.sleep(20)
  return lineOn(sockets[0]!)
})

/** Rows as those of scenarios in which a peer connects to the node. */
const playable = ({ name, rows, what }: Scenario): Scenario => ({
  name,
  what,
  rows: rows.filter(({ d }) => d !== "effect").map((row): Row => ({ ...row, c: CONNECTION }))
})

/**
 * Up to where blocks are asked for, as they were recorded; how many are asked for at a time is a matter of settings.
 */
const beforeBlocks = (scenario: Scenario): Scenario => {
  const first = scenario.rows.findIndex(({ d, t }) => d === "recv" && t === "getdata")
  return first < 0 ? scenario : { ...scenario, rows: scenario.rows.slice(0, first) }
}

const askedIn = (payload: Uint8Array): ReadonlyArray<string> => {
  const decoded = decodeMessage("getdata", payload)
  return Result.isSuccess(decoded)
    ? decoded.success.message.inventory.map(({ hash, type }) => `${type} ${hexOf(hash)}`)
    : []
}

const recordedRequests = ({ rows }: Scenario): ReadonlyArray<string> =>
  rows.flatMap(({ d, p, t }) => d === "recv" && t === "getdata" ? askedIn(bytesOf(p!)) : [])

/** Sends every block that the node asks for; answers what it asked for, in order. */
const serveBlocks = Effect.fnUntraced(function*(line: Line, blocks: ReadonlyMap<string, Uint8Array>, count: number) {
  const asked: Array<string> = []
  while (asked.length < count) {
    const place = yield* line.until(() => {
      const found = line.received.findIndex(({ command }) => command === "getdata")
      return found < 0 ? undefined : found
    }, PATIENCE)
    if (place === undefined) break
    const wanted = askedIn(line.received.splice(place, 1)[0]!.payload)
    asked.push(...wanted)
    for (const each of wanted) line.send("block", blocks.get(each.slice(each.indexOf(" ") + 1))!)
  }
  return asked
})

describe.skipIf(!areRecorded)("recorded conversations that Bitcoin Core began", () => {
  it.live.each(
    recordedFiles("oracle/p2p", "outbound").flatMap((name) => scenariosOf(`p2p/${name}`)).map((scenario) =>
      [scenario.name, scenario] as const
    )
  )(
    "%s",
    ([, scenario]) =>
      Effect.gen(function*() {
        const blocks = new Map(
          recordedBlocks().map((bytes) => [hexOf(blockHash(headerOf(bytes.subarray(0, 80)), testCrypto)), bytes])
        )
        const node = yield* replayNode({ isEmpty: true, servesBlockFilters: false })
        const replay = replayOf(node)
        const line: Line = yield* calledBy(node)
        replay.lines.set(CONNECTION, line)
        yield* play(replay, playable(beforeBlocks(scenario)))
        const wanted = recordedRequests(scenario)
        assert.deepStrictEqual(yield* serveBlocks(line, blocks, wanted.length), wanted)
        const { best, closedByNode } = scenario.rows.find(({ d }) => d === "effect")!
        const end = performance.now() + PATIENCE
        while (performance.now() < end && node.best() !== best) yield* Effect.sleep(50)
        assert.deepStrictEqual(replay.differences, [])
        assert.strictEqual(node.best(), best)
        assert.strictEqual(line.isClosed(), closedByNode)
        assert.deepStrictEqual(node.lines, [])
        assert.deepStrictEqual(node.defects, [])
      })
  )
})
