import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openDebugLog } from "../../src/bitcoind/log/debug-log.ts"
import { UPDATE_TIP } from "../../src/bitcoind/log/lines-of-notifications.ts"
import { LOG_PLAN } from "./debug-log-plan.ts"

const TIME = { now: 1_700_000_000_123_456n }

describe("debug.log", () => {
  it("holds back a source that writes more than 1 MiB an hour unless that is off, and says so", () => {
    const directory = mkdtempSync(join(tmpdir(), "lockstep-log-"))
    const large = "x".repeat(300_000)
    const run = (isLimited: boolean): ReadonlyArray<string> => {
      const file = join(directory, `${isLimited}.log`)
      let now = TIME.now
      const log = openDebugLog({
        plan: { ...LOG_PLAN, isLimited, file, toConsole: false, showsTime: false },
        print: () => {},
        now: () => now
      })
      if (typeof log === "string") throw new Error(log)
      for (let i = 0; i < 5; i++) log.write({ level: "info", text: large, source: "Loud" })
      log.write({ level: "info", text: "of another", source: "Quiet" })
      log.write({ level: "debug", category: "net", text: large, source: "Loud" })
      for (let i = 0; i < 5; i++) log.write({ level: "info", text: large, source: UPDATE_TIP })
      now += 3_600_000_000n
      log.write({ level: "info", text: large, source: "Loud" })
      log.close()
      return readFileSync(file, "utf8").trimStart().split("\n").map((line) => line.replace(/x{9,}/, "x"))
    }
    try {
      const tips = Array.from({ length: 5 }, () => "x")
      assert.deepStrictEqual(run(true), [
        "x",
        "x",
        "x",
        "[*] [warning] Excessive logging detected from Loud: >1048576 bytes logged during the last time window of 3600s. Suppressing logging to disk from this source location until time window resets. Console logging unaffected. Last log entry.",
        "[*] x",
        "[*] of another",
        "[net] x",
        ...tips,
        "[warning] Restarting logging from Loud: 600002 bytes were dropped during the last 3600s.",
        "x",
        ""
      ])
      assert.deepStrictEqual(run(false), ["x", "x", "x", "x", "x", "of another", "[net] x", ...tips, "x", ""])
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
