import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdtempSync, openSync, readFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { removeLeftover } from "../../src/storage/disk/remove-leftover.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"
import { PATH_WITH_NODE, spawnNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"

const LAUNCHER = fileURLToPath(new URL("../../bin/node", import.meta.url))

const REASON = /cannot listen for RPC on [\d.:]+: another program listens there/g

const timesIn = (text: string): number => [...text.matchAll(REASON)].length

/** A data directory, and the words of a start that finds the port of its calls taken. */
const failing = async (): Promise<{ readonly directory: string; readonly words: ReadonlyArray<string> }> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const directory = mkdtempSync(join(tmpdir(), "lockstep-failed-start-"))
  onTestFinished(() => {
    server.close()
    removeLeftover(directory)
  })
  const { port } = server.address() as AddressInfo
  const words = [
    "start",
    "--network",
    "regtest",
    "--data-dir",
    join(directory, "data"),
    "--rpc-addr",
    `127.0.0.1:${port}`
  ]
  return { directory, words: [...words, "--listen-addr", "127.0.0.1:0"] }
}

describe("a start that fails", { timeout: patience(60_000) }, () => {
  it("is printed with its reason once where output and errors go to one place, and stands in the log file", async () => {
    const { directory, words } = await failing()
    const [both, log] = [join(directory, "both"), join(directory, "log")]
    const descriptor = openSync(both, "w")
    const child = endsWithTests(spawn(LAUNCHER, [...words, "--set", `logging.file=${log}`], {
      env: { ...process.env, PATH: PATH_WITH_NODE, LOCKSTEP_COMMAND: "lockstep" },
      stdio: ["ignore", descriptor, descriptor]
    }))
    const [exitCode] = await once(child, "close")
    closeSync(descriptor)
    const printed = readFileSync(both, "utf8")
    assert.deepStrictEqual([exitCode, timesIn(printed)], [1, 1])
    assert.match(printed.trim().split("\n").at(-1)!, /^node: cannot listen for RPC /)
    const logged = readFileSync(log, "utf8")
    assert.strictEqual(timesIn(logged), 1)
    assert.include(logged, "the node does not start")
    assert.notInclude(logged, "stops because of an error")
  })

  it("says its reason in each of two streams that go to two places", async () => {
    const { words } = await failing()
    const { exitCode, stderr, stdout } = await spawnNode(words).ended
    assert.deepStrictEqual([exitCode, timesIn(stdout), timesIn(stderr)], [1, 1, 1])
    assert.include(stdout, "the node does not start")
  })
})
