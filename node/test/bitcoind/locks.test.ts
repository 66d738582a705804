import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { patience } from "../process/patience.ts"
import { makePlace } from "./bitcoind-process.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

/** Takes the lock as Bitcoin Core does, says so, and keeps it until its input ends. */
const HOLDER = `import fcntl, sys
file = open(sys.argv[1], "a")
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    print("held", flush=True)
    sys.stdin.read()
except OSError:
    print("taken", flush=True)
`

const PYTHON = "/usr/bin/python3"

const hasPython = spawnSync(PYTHON, ["--version"]).status === 0

/** What a program that locks as Bitcoin Core does finds, and how it is ended. */
const coreLock = async (path: string): Promise<{ readonly answer: string; readonly end: () => Promise<void> }> => {
  mkdirSync(dirname(path), { recursive: true })
  const child = endsWithTests(spawn(PYTHON, ["-c", HOLDER, path], { stdio: ["pipe", "pipe", "inherit"] }))
  const ended = once(child, "close")
  const [line] = await once(child.stdout, "data") as [Buffer]
  return {
    answer: line.toString().trim(),
    end: async () => {
      child.stdin.end()
      await ended
    }
  }
}

describe.runIf(hasPython)("locks that Bitcoin Core sees", () => {
  it("a start is refused where a program holds a lock as Bitcoin Core does, and goes on once it is gone", async () => {
    const place = await makePlace()
    const blocks = join(place.directory, "blocks")
    for (const directory of [place.directory, blocks]) {
      const { answer, end } = await coreLock(join(directory, ".lock"))
      assert.strictEqual(answer, "held")
      const refused = await place.start().ended
      assert.strictEqual(refused.exitCode, 1)
      assert.include(
        refused.stderr,
        `Error: Cannot obtain a lock on directory ${directory}. Bitcoin Core is probably already running.`
      )
      await end()
    }
    const node = place.start()
    await place.ready()
    for (const directory of [place.directory, blocks]) {
      const { answer, end } = await coreLock(join(directory, ".lock"))
      await end()
      assert.strictEqual(answer, "taken", directory)
    }
    await place.call("stop")
    assert.strictEqual((await node.ended).exitCode, 0)
    const after = await coreLock(join(place.directory, ".lock"))
    await after.end()
    assert.strictEqual(after.answer, "held")
    place.remove()
  }, patience(120_000))
})
