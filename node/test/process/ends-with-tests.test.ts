import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { afterEach, assert, describe, it, vi } from "vitest"
import { endsWithTests } from "./ends-with-tests.ts"
import { patience } from "./patience.ts"

const PROGRAM = join(import.meta.dirname, "busy-program.ts")

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const started: Array<number> = []
afterEach(() => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL")
})

/** A process of tests that has started a busy one, in a group of its own. */
const cutShort = async () => {
  const tests = endsWithTests(
    spawn(process.execPath, ["--no-warnings", PROGRAM], { detached: true, stdio: ["ignore", "pipe", "inherit"] })
  )
  const [line] = await once(tests.stdout!, "data") as [Buffer]
  const [, busy] = line.toString().trim().split(" ").map(Number) as [number, number]
  started.push(busy)
  assert.isTrue(isRunning(busy))
  return { tests, busy }
}

describe.runIf(process.platform !== "win32")("a process that a test has started", () => {
  it.each(
    [
      ["end in order", "SIGTERM", 1],
      ["are killed", "SIGKILL", 1],
      ["are killed with their group", "SIGKILL", -1]
    ] as const
  )("ends when the tests %s", async (_, signal, sign) => {
    const { busy, tests } = await cutShort()
    process.kill(sign * tests.pid!, signal)
    await vi.waitFor(() => assert.isFalse(isRunning(busy)), { timeout: patience(30_000), interval: 20 })
  })

  it("runs on while the tests do", async () => {
    const { busy } = await cutShort()
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.isTrue(isRunning(busy))
  })
})
