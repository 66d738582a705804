import { assert, describe, it } from "@effect/vitest"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { appendFileSync } from "node:fs"
import { blocksTold } from "./blocks-told.ts"
import { LATER_PARTS } from "./later-parts.ts"
import { play, replayOf } from "./replay.ts"
import { replayNode, type ReplayNode } from "./replay-node.ts"
import { areRecorded, bytesOf, type Row, type Scenario, scenariosOf } from "./scenarios.ts"

/** What the recorded node was told of before anybody asked it for addresses. */
const addressesOf = (scenarios: ReadonlyArray<Scenario>) => {
  const row = scenarios.flatMap(({ rows }) => rows).find(({ d, t }) => d === "recv" && t === "addrv2")
  const decoded = decodeMessage("addrv2", bytesOf(row!.p!))
  return Result.isSuccess(decoded) ? decoded.success.message.addresses : []
}

/** Where a part is missing the node is behind: it is handed the blocks that the script was about. */
const catchUp = Effect.fnUntraced(function*({ engine }: ReplayNode, rows: ReadonlyArray<Row>, earlier: ReadonlyArray<Row>) {
  for (const bytes of blocksTold(rows, earlier)) yield* engine.call("submitBlock", { bytes })
})

const note = (line: string): void => {
  if (process.env["LOCKSTEP_REPLAY_LOG"] !== undefined) appendFileSync(process.env["LOCKSTEP_REPLAY_LOG"], `${line}\n`)
}

describe.skipIf(!areRecorded)("recorded conversations of the reference implementation", () => {
  it.live("what it answered to a peer that connects to it", () =>
    Effect.gen(function*() {
      const node = yield* replayNode()
      const scenarios = scenariosOf("p2p/transcripts.jsonl.gz")
      for (const address of addressesOf(scenarios)) node.book.add([address], address.address)
      const replay = replayOf(node)
      const wrong: Array<string> = []
      const earlier: Array<Row> = []
      for (const scenario of scenarios) {
        yield* play(replay, scenario)
        const found = replay.differences.splice(0)
        const isLater = LATER_PARTS[scenario.name] !== undefined
        note(`${scenario.name}: ${found.length}${isLater ? " (later)" : ""}`)
        for (const each of found) note(`    ${each}`)
        if (isLater) yield* catchUp(node, scenario.rows, earlier)
        else wrong.push(...found)
        earlier.push(...scenario.rows)
      }
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(node.lines, [])
      assert.deepStrictEqual(node.defects, [])
    }), 180_000)
})
