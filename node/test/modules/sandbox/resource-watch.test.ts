import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { ResourceLimits } from "../../../src/modules/sandbox/resource-limits.ts"
import { creditAfter, excess, usageIn, watchResources } from "../../../src/modules/sandbox/resource-watch.ts"
import { endsWithTests } from "../../process/ends-with-tests.ts"

const MEBIBYTE = 1_048_576
const LIMITS: ResourceLimits = {
  memoryBytes: 512 * MEBIBYTE,
  processorPercent: 50,
  openFiles: 256,
  diskBytes: 1_073_741_824
}

const busy = Effect.acquireRelease(
  Effect.sync(() => endsWithTests(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }))),
  (child) => Effect.sync(() => void child.kill("SIGKILL"))
)

const stateOf = (pid: number): string => /^State:\s*(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))![1]!

describe("the use of a module", () => {
  it("is read from the texts of the kernel, whatever the program is called", () => {
    const status = "Name:\tx\nVmRSS:\t    2048 kB\nThreads:\t7\nVmSwap:\t    1024 kB\n"
    const stat = "12 (a) b (c) S 1 1 1 0 -1 4194304 1 2 3 4 150 50 0 0 20 0 7 0 100 1 2 3"
    assert.deepStrictEqual(usageIn(status, stat), { memoryBytes: 3 * MEBIBYTE, processorMs: 2_000, threads: 7 })
  })

  it("is an excess above the memory or the threads that are allowed", () => {
    const usage = { memoryBytes: 512 * MEBIBYTE, processorMs: 0, threads: 64 }
    assert.isUndefined(excess(usage, LIMITS))
    assert.strictEqual(
      excess({ ...usage, memoryBytes: 600 * MEBIBYTE }, LIMITS),
      "uses 600 MiB of memory, and 512 MiB are allowed"
    )
    assert.strictEqual(excess({ ...usage, threads: 65 }, LIMITS), "has 65 threads, and 64 are allowed")
  })

  it("of the processor is paid from a credit that grows by the share, up to ten seconds", () => {
    assert.strictEqual(creditAfter(0, 1_000, 200, 50), 300)
    assert.strictEqual(creditAfter(0, 1_000, 1_000, 50), -500)
    assert.strictEqual(creditAfter(9_900, 1_000, 0, 50), 10_000)
  })

  it.runIf(process.platform === "linux")(
    "above the share halts the process",
    () =>
      Effect.runPromise(Effect.scoped(Effect.gen(function*() {
        const { pid } = yield* busy
        yield* Effect.forkScoped(watchResources(pid!, { ...LIMITS, processorPercent: 1 }, 0))
        while (stateOf(pid!) !== "T") yield* Effect.sleep(20)
      })))
  )
})
