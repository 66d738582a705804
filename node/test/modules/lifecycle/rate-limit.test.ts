import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { patience } from "../../process/patience.ts"
import { configWith } from "../../process/config-with.ts"
import { type RunningNode, startNode } from "../../process/node-process.ts"
import { BEHAVIOURS, MODULE_SOURCE } from "./module-program.ts"

const TOKEN = "modules-admin"
const root = mkdtempSync(join(tmpdir(), "lsr-"))
const modules = join(root, "modules")

/** Calls at once that are answered; the calls with which the node is waited for count as well. */
const BURST = 200

let node: RunningNode

const statusOf = async (method: string): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${node.port}/`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] })
  })
  await answer.arrayBuffer()
  return answer.status
}

/** How many of so many calls are answered, one after another. */
const answered = async (method: string, calls: number): Promise<number> => {
  let count = 0
  for (let i = 0; i < calls; i++) {
    const status = await statusOf(method)
    assert.include([200, 429], status)
    if (status === 200) count++
  }
  return count
}

beforeAll(async () => {
  mkdirSync(join(modules, "a"), { recursive: true })
  writeFileSync(join(modules, "a", "run"), MODULE_SOURCE + BEHAVIOURS.watching, { mode: 0o755 })
  writeFileSync(
    join(modules, "a", "module.toml"),
    `name = "a"\nversion = "0.1.0"\ndescription = ""\nentry_point = "run"\ncapabilities = ["subscribe_events", "register_rpc_endpoint"]\n`
  )
  const file = join(root, "node.toml")
  writeFileSync(
    file,
    configWith(
      TOKEN,
      `rate_limit_burst = ${BURST}\nrate_limit_rate = 1`,
      `[rpc]\nrate_limit_loopback = true\nrate_limit_admins = true`,
      `[modules]\nenabled = true\nmodules_dir = "${modules}"\nsocket_dir = "${
        join(root, "s")
      }"\nallow_unconfined = true`
    )
  )
  node = await startNode(join(root, "data"), { args: ["--config", file], token: TOKEN })
  const deadline = Date.now() + patience(30_000)
  while (!node.stdout().includes("Component startup complete")) {
    assert.isBelow(Date.now(), deadline, node.stdout())
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}, patience(120_000))

afterAll(async () => {
  node.signal("SIGTERM")
  await node.ended
  node.client.close()
  rmSync(root, { recursive: true, force: true })
})

describe.runIf(process.platform === "linux")("a method of a module", () => {
  it("counts against the limit of calls of its caller, as a method of the node does", async () => {
    const start = Date.now()
    assert.strictEqual(await statusOf("watched"), 200)
    const count = await answered("watched", 2 * BURST)
    const seconds = Math.ceil((Date.now() - start) / 1_000)
    assert.isAbove(count, 10)
    assert.isAtMost(count, BURST + seconds)
    assert.isAtMost(await answered("getblockcount", 20), 2 + Math.ceil((Date.now() - start) / 1_000) - seconds)
  })
})
