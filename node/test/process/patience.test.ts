import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { patience, slowness } from "./patience.ts"

const ROOT = join(import.meta.dirname, "../../..")
const TESTS = [
  "kernel/test",
  "crypto/test",
  "protocol/test",
  "descriptors/test",
  "txgraph/test",
  "conformance/test",
  "node/test",
  "sdk/test",
  "zmq/test",
  "property-tests"
]

/** Limits of a test, a group or a hook as numbers: in its options, or behind its function on that line or the next. */
const FIXED_LIMITS = [/\{ timeout: [\d_]{4,} \}/, /^\s*[})\]].*, [\d_]{5,}\)$/m, /^\s*[})\]]+,\n\s*[\d_]{6,}\n\s*\)$/m]

const testFiles = (): ReadonlyArray<string> =>
  TESTS.flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
      .map((file) => join(directory, file))
  )

describe("deadlines of tests", () => {
  it("are as long as on a quiet machine, or longer by what was measured, never shorter", () => {
    assert.strictEqual(slowness([0.2, 0.1]), 1)
    assert.strictEqual(slowness([1.4, 15]), 15)
    assert.strictEqual(slowness([9, 0]), 9)
    assert.strictEqual(patience(20_000, 1), 20_000)
    assert.strictEqual(patience(20_000, 15), 300_000)
  })

  it("are no fixed numbers", () => {
    const files = testFiles()
    assert.isAbove(files.length, 300)
    const fixed = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), "utf8")
      return FIXED_LIMITS.some((limit) => limit.test(text))
    })
    assert.deepStrictEqual(fixed, [])
  })

  it("are measured here and now", () => {
    assert.isAtLeast(slowness(), 1)
    assert.isAtLeast(patience(1_000), 1_000)
  })
})
