import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { startNode } from "../process/node-process.ts"

const TOKEN = "space-admin"

describe("a disk without room", () => {
  it("stops changes before it is full, and notifies operators and modules; questions are answered", async () => {
    const root = mkdtempSync(join(tmpdir(), "lockstep-space-"))
    const config = join(root, "node.toml")
    // More than any disk has: the node sees at once that there is too little.
    writeFileSync(
      config,
      configWith(TOKEN, `[logging]`, `level = "debug"`, `[storage]`, `min_free_disk_mb = 1000000000`)
    )
    const node = await startNode(join(root, "data"), { args: ["--config", config], token: TOKEN })
    try {
      const refused = await node.client.call("generatetoaddress", 1, OPEN_ADDRESS).then(
        () => undefined,
        (error: unknown) => error
      )
      assert.instanceOf(refused, Error)
      assert.include(String(refused), "nothing is written until there is more")
      const info = await node.client.call("getblockchaininfo") as { blocks: number; warnings: ReadonlyArray<string> }
      assert.strictEqual(info.blocks, 0)
      assert.isTrue(info.warnings.some((warning) => warning.includes("are free")))
      await node.client.call("stop")
      const { exitCode, stderr, stdout } = await node.ended
      assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
      const event = stdout.split("\n").find((line) => line.includes(`"event":"DiskSpaceLow"`))
      const payload = JSON.parse((JSON.parse(event ?? "{}") as { payload: string }).payload) as Record<string, unknown>
      assert.isAbove(payload["available_bytes"] as number, 0)
      assert.isAbove(payload["total_bytes"] as number, payload["available_bytes"] as number)
      assert.include(payload["disk_path"], root)
    } finally {
      node.signal("SIGKILL")
      node.client.close()
      await node.ended
      rmSync(root, { recursive: true, force: true })
    }
  })
})
