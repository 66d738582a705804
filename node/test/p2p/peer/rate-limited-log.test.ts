import { assert, describe, it } from "@effect/vitest"
import { rateLimitedLog } from "../../../src/p2p/peer/rate-limited-log.ts"

const started = () => {
  const clock = { now: 5_000 }
  const lines: Array<readonly [level: string, message: string, fields: unknown]> = []
  const log = rateLimitedLog((level, message, fields) => void lines.push([level, message, fields]), () => clock.now)
  return { clock, lines, log }
}

describe("a log with limits", () => {
  it("CVE-2025-54604: writes 20 lines of a kind in a minute, then says how many it left out", () => {
    const { clock, lines, log } = started()
    for (let i = 0; i < 25; i++) log("a", "debug", `line ${i}`)
    assert.strictEqual(lines.length, 20)
    clock.now += 59_999
    log("a", "debug", "too early")
    assert.strictEqual(lines.length, 20)
    clock.now += 1
    log("a", "warn", "again", { peer: "x" })
    assert.deepStrictEqual(lines.slice(20), [["warn", "more lines of the same kind were left out", {
      kind: "a",
      lines: 6
    }], ["warn", "again", { peer: "x" }]])
    for (let i = 0; i < 25; i++) log("a", "debug", `line ${i}`)
    assert.strictEqual(lines.length, 41, "the new window holds 20 lines too")
  })

  it("counts each kind for itself, and says nothing of a window in which all were written", () => {
    const { clock, lines, log } = started()
    for (let i = 0; i < 20; i++) for (const kind of ["a", "b"]) log(kind, "debug", kind)
    assert.strictEqual(lines.length, 40)
    clock.now += 60_000
    log("a", "debug", "a")
    assert.deepStrictEqual(lines.slice(40).map(([, message]) => message), ["a"])
  })
})
