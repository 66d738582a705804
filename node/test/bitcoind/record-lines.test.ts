import { assert, describe, it } from "@effect/vitest"
import { linesOfRecord } from "../../src/bitcoind/log/lines-of-records.ts"
import type { LogRecord } from "../../src/log/log-record.ts"

describe("what stands for lines of this node", () => {
  const linesOf = (message: string, fields: LogRecord["fields"]): ReadonlyArray<string> =>
    linesOfRecord({ time: new Date(0), level: "info", category: "chain", message, fields }).map((line) =>
      line.category === undefined ? line.text : `[${line.category}] ${line.text}`
    )

  it("are Bitcoin Core's about scripts, fee estimates and pruning", () => {
    const block = { height: 102, block_hash: "aa" }
    assert.deepStrictEqual(
      [
        linesOf("Scripts are verified from a block on", { ...block, reason: "assumevalid=0 (always verify)" }),
        linesOf("Scripts are assumed valid from a block on", block),
        linesOf("The fee estimates are written", { file: "fee_estimates.dat" }),
        linesOf("The fee estimates of the last run are too old: fees are estimated anew", {
          path: "/f",
          hours: 61,
          most_hours: 60
        }),
        linesOf("An index keeps blocks from a lower one on", { index: "coinstatsindex", height: 7 })
      ].flat(),
      [
        "Enabling script verification at block #102 (aa): assumevalid=0 (always verify).",
        "Disabling script verification at block #102 (aa).",
        "[estimatefee] Flushed fee estimates to fee_estimates.dat.",
        "Fee estimation file /f too old (age=61 > 60 hours) and will not be used to avoid serving stale estimates.",
        "[prune] coinstatsindex prune lock moved back to 7"
      ]
    )
  })
})
