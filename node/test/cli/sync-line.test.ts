import { assert, describe, it } from "@effect/vitest"
import { liveLine } from "../../src/cli/live-line.ts"
import { isCaughtUp, type ShownSyncFigures, shownSyncFigures, syncLine } from "../../src/cli/commands/sync-figures.ts"
import { readJson } from "../../src/json/read-json.ts"
import type { JsonMembers } from "../../src/json/json-value.ts"

const figures = (what: Readonly<Record<string, unknown>>): ShownSyncFigures =>
  shownSyncFigures(readJson(JSON.stringify(what)) as JsonMembers)

const BLOCKS = {
  stage: "Blocks",
  progress_percent: 45.27,
  blocks: 340_871,
  headers: 903_120,
  target_height: 903_120,
  initialblockdownload: true,
  blocks_per_second: 39.4,
  inputs_per_second: 20_345,
  eta_seconds: 3_725,
  peers: 10,
  cache_bytes: 470_000_000
}

describe("what `lockstep sync` shows", () => {
  it("a line for each stage", () => {
    const headers = { ...BLOCKS, stage: "Headers", progress_percent: 12, headers: 340_000, target_height: 903_000 }
    assert.deepStrictEqual([
      syncLine(figures(BLOCKS)),
      syncLine(figures(headers)),
      syncLine(figures({ ...headers, headers: 0, progress_percent: 0, presynced_headers: 220_000, peers: 1 })),
      syncLine(figures({ stage: "Initial", progress_percent: 0, blocks: 0, headers: 0, peers: 0 })),
      syncLine(figures({ stage: "Initial", progress_percent: 0, blocks: 1_200, headers: 1_200, peers: 2 })),
      syncLine(figures({ ...BLOCKS, stage: "Synced", progress_percent: 100, blocks: 903_120 })),
      syncLine(figures({ ...BLOCKS, stage: "Error", progress_percent: 0, error: "the disk is full" }))
    ], [
      "Blocks (45 %): 340,871 of 903,120 blocks (37 %), 39.4 blocks/s, 20,345 inputs/s, 10 peers, cache 448 MiB, 1:02:05 left",
      "Headers (12 %): 340,000 of about 903,000 headers (37 %), 10 peers",
      "Headers (0 %): 0 of about 903,000 headers (0 %), 220,000 in presync, 1 peer",
      "Initial (0 %): height 0, waiting for a peer to connect",
      "Initial (0 %): height 1,200, 2 peers, waiting for headers",
      "Synced (100 %): 903,120 of 903,120 blocks (100 %), 39.4 blocks/s, 20,345 inputs/s, 10 peers, cache 448 MiB",
      "Error (0 %): the disk is full"
    ])
  })

  it("ends once nothing is missing that a peer has, however old that is on a network of its own", () => {
    const all = { ...BLOCKS, stage: "Synced", blocks: 903_120, initialblockdownload: false }
    const cases: ReadonlyArray<readonly [Readonly<Record<string, unknown>>, boolean, boolean]> = [
      [all, true, true],
      [BLOCKS, false, false],
      [{ ...all, initialblockdownload: true }, false, true],
      [{ ...all, headers: 903_121 }, false, false],
      [{ ...all, stage: "Initial", peers: 0 }, false, false],
      [{ ...all, stage: "Initial", peers: 1 }, false, false],
      [{ ...all, stage: "Headers" }, false, false],
      [{ ...all, stage: "Error" }, false, false]
    ]
    for (const [what, elsewhere, alone] of cases) {
      assert.deepStrictEqual(
        [isCaughtUp(figures(what), false), isCaughtUp(figures(what), true)],
        [elsewhere, alone],
        JSON.stringify(what)
      )
    }
  })

  it("in place on a terminal, and now and then elsewhere", () => {
    let time = 0
    const shownOn = (isTTY: boolean, columns: number): string => {
      let text = ""
      const line = liveLine({ isTTY, columns, write: (more) => void (text += more) }, () => time)
      for (const part of ["a", "a", "b", "b"]) {
        line.show(`${part} at ${time}, and much else`, part)
        time += 4_000
      }
      time += 10_000
      line.show("b at the end", "b")
      line.end()
      time = 0
      return text
    }
    assert.strictEqual(shownOn(false, 80), "a at 0, and much else\nb at 8000, and much else\nb at the end\n")
    const wide = [
      "a at 0, and much else",
      "a at 4000, and much else",
      "b at 8000, and much else",
      "b at 12000, and much else",
      "b at the end"
    ]
    assert.strictEqual(shownOn(true, 80), `${wide.map((text) => `\r\u001B[K${text}`).join("")}\n`)
    assert.include(shownOn(true, 21), "\r\u001B[Ka at 4000, and much \r")
  })
})
