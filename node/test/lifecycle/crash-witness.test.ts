import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makePlace as makeBitcoindPlace, until } from "../bitcoind/bitcoind-process.ts"
import { configWith } from "../process/config-with.ts"
import { patience } from "../process/patience.ts"
import { type RunningNode, spawnNode, startNode } from "../process/node-process.ts"

const TOKEN = "sudden-admin"

/** What is said about a process that could say nothing itself. */
const WITNESSED = /^node: the process ended suddenly\b.*\bthe next start examines the store/

const configText = (log: string): string => configWith(TOKEN, `[logging]`, `file = "${log}"`)

interface Place {
  readonly data: string
  readonly config: string
  readonly logs: string
  readonly start: () => Promise<RunningNode>
}

const within = async (use: (place: Place) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-sudden-"))
  const [data, config] = [join(root, "data"), join(root, "node.toml")]
  const logs = join(root, "logs")
  mkdirSync(logs)
  writeFileSync(config, configText(join(logs, "node.log")), { mode: 0o600 })
  try {
    await use({ data, config, logs, start: () => startNode(data, { args: ["--config", config], token: TOKEN }) })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? ""

describe("a process that ends without a word of its own", { timeout: patience(120_000) }, () => {
  it("is reported when it is killed, with the last error, in a command as well, and not when two signals stop it", () =>
    within(async (place) => {
      const node = await place.start()
      node.signal("SIGKILL")
      node.client.close()
      const killed = await node.ended
      assert.strictEqual(killed.signal, "SIGKILL")
      assert.match(lastLine(killed.stderr), WITNESSED)

      const worried = await place.start()
      rmSync(place.logs, { recursive: true })
      worried.signal("SIGHUP")
      while (!worried.stdout().includes(`"level":"error"`)) await new Promise((resolve) => setTimeout(resolve, 20))
      worried.signal("SIGKILL")
      worried.client.close()
      assert.match(lastLine((await worried.ended).stderr), /The last error in its log: .*node\.log.*ENOENT/)
      mkdirSync(place.logs)

      const rebuilding = await spawnNode(
        ["rebuild", "--network", "regtest", "--data-dir", place.data, "--config", place.config],
        { LOCKSTEP_TEST_CRASH_AT: "after-commit" }
      ).ended
      assert.strictEqual(rebuilding.signal, "SIGKILL")
      assert.match(lastLine(rebuilding.stderr), WITNESSED)

      const stopped = await place.start()
      stopped.signal("SIGTERM")
      stopped.signal("SIGTERM")
      stopped.client.close()
      const { exitCode, stderr } = await stopped.ended
      assert.deepStrictEqual([exitCode, stderr], [0, ""])
    }))

  it("is reported in debug.log under bitcoind, whose standard error stays empty", async () => {
    const place = await makeBitcoindPlace()
    try {
      const node = place.start()
      await place.ready()
      place.signal(node.pid, "SIGKILL")
      assert.strictEqual((await node.ended).stderr, "")
      const noticed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[error\] the process ended suddenly: it was killed, /m
      await until("the log says so", () => noticed.test(place.debugLog()))
      const again = place.start("-stopatheight=0", "-daemonwait")
      assert.deepInclude(await again.ended, { exitCode: 0, stderr: "" })
      await place.ready()
      await place.call("stop")
      await until("the log is complete", () => place.debugLog().endsWith("Shutdown done\n"))
    } finally {
      place.remove()
    }
  })
})
