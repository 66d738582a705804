import { assert, describe, it } from "@effect/vitest"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import { headerOf } from "@lockstep/kernel/model/header.ts"
import * as Effect from "effect/Effect"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { testCrypto } from "../../engine/test-engine.ts"
import { type Line, lineOn } from "./line.ts"
import { play, replayOf } from "./replay.ts"
import { recordedBlocks, replayNode, type ReplayNode } from "./replay-node.ts"
import { areRecorded, hashOf, hexOf, type Row, type Scenario, scenariosOf } from "./scenarios.ts"

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
    (made) => Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      made.close()
    })
  )
  node.p2p.connections.manual.once(`127.0.0.1:${(server.address() as AddressInfo).port}`)
  while (sockets.length === 0) yield* Effect.sleep(20)
  return lineOn(sockets[0]!)
})

/** Rows as those of scenarios in which somebody connects to the node; blocks are named by their hashes. */
const playable = ({ name, rows, what }: Scenario, blocks: ReadonlyMap<string, Uint8Array>): Scenario => ({
  name,
  what,
  rows: rows.filter(({ d }) => d !== "effect").map((row): Row =>
    row.blockHash === undefined
      ? { ...row, c: CONNECTION }
      : { ...row, c: CONNECTION, p: hexOf(blocks.get(hexOf(hashOf(row.blockHash)))!) }
  )
})

describe.skipIf(!areRecorded)("recorded conversations that the reference implementation began", () => {
  it.live.each(areRecorded ? scenariosOf("p2p/outbound.jsonl.gz").map((scenario) => [scenario.name, scenario] as const) : [])(
    "%s",
    ([, scenario]) =>
      Effect.gen(function*() {
        const blocks = new Map(recordedBlocks().map((bytes) => [hexOf(blockHash(headerOf(bytes.subarray(0, 80)), testCrypto)), bytes]))
        const node = yield* replayNode({ isEmpty: true })
        const replay = replayOf(node)
        const line: Line = yield* calledBy(node)
        replay.lines.set(CONNECTION, line)
        yield* play(replay, playable(scenario, blocks))
        const { best, closedByNode } = scenario.rows.find(({ d }) => d === "effect")!
        for (let i = 0; i < 100 && node.best() !== best; i++) yield* Effect.sleep(50)
        assert.deepStrictEqual(replay.differences, [])
        assert.strictEqual(node.best(), best)
        assert.strictEqual(line.isClosed(), closedByNode)
        assert.deepStrictEqual(node.lines, [])
        assert.deepStrictEqual(node.defects, [])
      }),
    120_000
  )
})
