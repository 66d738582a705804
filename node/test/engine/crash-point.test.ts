import { assert, describe, it, vi } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import {
  CRASH_POINTS,
  crashPoints,
  MEMPOOL_CRASH_POINTS,
  SNAPSHOT_CRASH_POINTS
} from "../../src/engine/options/crash-point.ts"
import { testHooksOf } from "../../src/engine/options/test-hooks.ts"

const SOURCES = join(import.meta.dirname, "../../src")
const DEFINITION = join("engine", "crash-point.ts")

/** Names of the points that the sources call, each as often as it is called; a name that is no literal as it stands. */
const called = (): ReadonlyArray<string> =>
  readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && file !== DEFINITION)
    .flatMap((file) => [...readFileSync(join(SOURCES, file), "utf8").matchAll(/crashPoint\((?:"([^"]*)"|([^)]*))\)/g)])
    .map(([, name, expression]) => name ?? expression ?? "")

describe("crash points", () => {
  it("are called once each, and only by names that are known", () => {
    assert.deepStrictEqual(
      called().toSorted(),
      [...CRASH_POINTS, ...SNAPSHOT_CRASH_POINTS, ...MEMPOOL_CRASH_POINTS].toSorted()
    )
  })

  it("kill the process at the call that is asked for, and at none where none is", () => {
    const killed: Array<unknown> = []
    vi.spyOn(process, "kill").mockImplementation((...how) => {
      killed.push(how)
      return true
    })
    try {
      crashPoints(undefined)("before-batch")
      const at = crashPoints({ name: "before-batch", count: 3 })
      for (const name of ["before-batch", "mempool-loaded", "before-batch", "mempool-loaded"] as const) at(name)
      assert.deepStrictEqual(killed, [])
      at("before-batch")
      assert.deepStrictEqual(killed, [[process.pid, "SIGKILL"]])
      at("before-batch")
      assert.lengthOf(killed, 1)
    } finally {
      vi.restoreAllMocks()
    }
  })
})

describe("test hooks", () => {
  it("are read from the variables of a test, and are none without them", () => {
    assert.deepStrictEqual(testHooksOf({ LOCKSTEP_TEST_CRASH_AT: "", HOME: "/" }), {})
    assert.deepStrictEqual(
      testHooksOf({ LOCKSTEP_TEST_CRASH_AT: "before-batch:3", LOCKSTEP_TEST_BLOCK_FILE_BYTES: "20000" }),
      { crashAt: { name: "before-batch", count: 3 }, blockFileBytes: 20_000 }
    )
    assert.deepStrictEqual(testHooksOf({ LOCKSTEP_TEST_EARLY_CHANGES: "0" }), { earlyChanges: 0 })
    assert.deepStrictEqual(testHooksOf({ LOCKSTEP_TEST_CRASH_AT: "after-commit" }), {
      crashAt: { name: "after-commit", count: 1 }
    })
  })
})
