import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"

const END_PROCESS = new URL("../../src/bitcoind/process/end-process.ts", import.meta.url).href
const directory = mkdtempSync(join(tmpdir(), "lockstep-end-process-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Waits of the program that are this long take no time; it notes them. */
const WAITS = join(directory, "waits")
const PROGRAM = join(directory, "program.mjs")
writeFileSync(
  PROGRAM,
  `import { appendFileSync } from "node:fs"
  const real = globalThis.setTimeout
  globalThis.setTimeout = (work, ms, ...more) => {
    if (process.argv[2] === "unread" && ms > 100) appendFileSync(${JSON.stringify(WAITS)}, ms + "\\n")
    return real(work, process.argv[2] === "unread" && ms > 100 ? 1 : ms, ...more)
  }
  const { endProcess } = await import(${JSON.stringify(END_PROCESS)})
  const much = "x".repeat(1_000_000)
  process.stdout.write(much + "o")
  process.stderr.write(much + "e")
  // A plain end of the process would wait for this.
  setInterval(() => {}, 10)
  await endProcess(3)`
)

describe("bitcoind ends its process", () => {
  it("with its exit code, once all that was written is read", async () => {
    const child = spawn(process.execPath, [PROGRAM], { stdio: ["ignore", "pipe", "pipe"] })
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => void (stdout += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => void (stderr += chunk.toString()))
    const [code] = await once(child, "close")
    assert.strictEqual(code, 3)
    assert.deepStrictEqual([stdout.length, stdout.at(-1)], [1_000_001, "o"])
    assert.deepStrictEqual([stderr.length, stderr.at(-1)], [1_000_001, "e"])
  })

  it("after two seconds where what was written is not read", async () => {
    const child = spawn(process.execPath, [PROGRAM, "unread"], { stdio: ["ignore", "pipe", "pipe"] })
    const [code] = await once(child, "exit")
    assert.deepStrictEqual([code, readFileSync(WAITS, "utf8")], [3, "2000\n"])
    child.stdout.destroy()
    child.stderr.destroy()
  })
})
