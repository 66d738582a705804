import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RunningNode, startNode } from "../../process/node-process.ts"

const TOKEN = "bans-kept-admin"

interface Banned {
  readonly address: string
}

const bannedBy = async ({ client }: RunningNode): Promise<ReadonlyArray<string>> =>
  (await client.call("listbanned") as ReadonlyArray<Banned>).map(({ address }) => address).toSorted()

const kill = async (node: RunningNode): Promise<void> => {
  node.signal("SIGKILL")
  await node.ended
  node.client.close()
}

describe("bans", () => {
  it("are on disk when the call that changed them is answered", async () => {
    const root = fs.mkdtempSync(join(tmpdir(), "lockstep-bans-"))
    const config = join(root, "node.toml")
    fs.writeFileSync(config, `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["${TOKEN}"]\n`, {
      mode: 0o600
    })
    const start = (): Promise<RunningNode> =>
      startNode(join(root, "data"), { args: ["--config", config], token: TOKEN })
    /** Changes bans, dies, and says what the next start knows. */
    const after = async (...calls: ReadonlyArray<readonly [method: string, ...params: ReadonlyArray<unknown>]>) => {
      const node = await start()
      for (const [method, ...params] of calls) await node.client.call(method, ...params)
      await kill(node)
      const next = await start()
      const banned = await bannedBy(next)
      await kill(next)
      return banned
    }
    assert.deepStrictEqual(await after(["setban", "192.0.2.1", "add"], ["setban", "198.51.100.0/24", "add"]), [
      "192.0.2.1/32",
      "198.51.100.0/24"
    ])
    assert.deepStrictEqual(await after(["setban", "192.0.2.1", "remove"]), ["198.51.100.0/24"])
    assert.deepStrictEqual(await after(["clearbanned"]), [])
    fs.rmSync(root, { recursive: true })
  })
})
