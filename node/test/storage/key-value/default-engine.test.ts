import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { configWith } from "../../process/config-with.ts"
import { type RunningNode, startNode } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"

const TOKEN = "default-engine-admin"

/** Larger than any machine lets pass without a warning, in a file that takes no room. */
const LARGE = 5 * 2 ** 30

let root: string
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "lockstep-default-engine-"))))
afterEach(() => rmSync(root, { recursive: true }))

const on = async (backend: string, use: (node: RunningNode) => Promise<void>): Promise<void> => {
  const config = join(root, "node.toml")
  writeFileSync(config, configWith(TOKEN, `[storage]`, `database_backend = "${backend}"`), { mode: 0o600 })
  const node = await startNode(join(root, "data"), { args: ["--config", config], token: TOKEN })
  try {
    await use(node)
    await node.client.call("stop")
    const { exitCode, stderr } = await node.ended
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
  } finally {
    node.signal("SIGKILL")
    await node.ended
    node.client.close()
  }
}

const warningsOf = async ({ client }: RunningNode): Promise<ReadonlyArray<string>> => {
  const { warnings } = await client.call("getnetworkinfo") as { readonly warnings: ReadonlyArray<string> }
  return warnings.filter((text) => text.includes("is LMDB and has"))
}

describe("database_backend = \"auto\"", () => {
  it(
    "is LevelDB in a new directory, and keeps LMDB where that is, with a warning once it is large that helps",
    async () => {
      const store = (engine: string): string => join(root, "data", "regtest", `store-${engine}`)
      let tip: unknown
      await on("auto", async (node) => {
        assert.isTrue(existsSync(join(store("leveldb"), "CURRENT")))
        await node.client.call("generatetoaddress", 20, OPEN_ADDRESS)
        tip = await node.client.call("getbestblockhash")
      })
      await on("heed3", async () => assert.isFalse(existsSync(store("leveldb"))))
      await on("auto", async (node) => {
        assert.strictEqual(await node.client.call("getbestblockhash"), tip)
        assert.deepStrictEqual(await warningsOf(node), [])
      })
      assert.isFalse(existsSync(store("leveldb")))

      truncateSync(join(store("heed3"), "data.mdb"), LARGE)
      await on("auto", async (node) => {
        assert.strictEqual(await node.client.call("getbestblockhash"), tip)
        const [warning] = await warningsOf(node)
        assert.include(warning, "has 5120 MiB")
        assert.include(warning, `Set [storage].database_backend = "leveldb": the next start copies it`)
        assert.include(node.stdout(), "is LMDB and has 5120 MiB")
      })

      await on("leveldb", async (node) => {
        assert.strictEqual(await node.client.call("getbestblockhash"), tip)
        assert.deepStrictEqual(await warningsOf(node), [])
      })
      await on("auto", async (node) => assert.strictEqual(await node.client.call("getbestblockhash"), tip))
      assert.isFalse(existsSync(store("heed3")))
    },
    patience(120_000)
  )
})
