import { afterAll, assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"
import { runNodeIn } from "./command-line.ts"
import { patience } from "../process/patience.ts"

const root = mkdtempSync(join(tmpdir(), "lockstep-import-"))
const config = join(root, "node.toml")

afterAll(() => rmSync(root, { recursive: true, force: true }))

const on = (name: string) => ["--config", config, "--data-dir", join(root, name)]

/** A directory of block files with three blocks above the first. */
const mined = async (name: string): Promise<string> => {
  writeFileSync(config, "transport_preference = \"tcponly\"\n[rpc_auth]\nadmin_tokens = [\"import\"]\n", {
    mode: 0o600
  })
  const node: RunningNode = await startNode(join(root, name), { args: ["--config", config], token: "import" })
  await node.client.call("generatetodescriptor", 3, "raw(51)")
  await node.client.call("stop")
  node.client.close()
  await node.ended
  return join(root, name, "regtest", "blocks")
}

const file = (name: string, bytes: Uint8Array): string => {
  writeFileSync(join(root, name), bytes)
  return name
}

/** A record of the right network whose content is no block. */
const record = (magic: Uint8Array, content: Uint8Array): Buffer => {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(content.length)
  return Buffer.concat([magic, size, content])
}

describe("node import", () => {
  it(
    "of files without a block fails with exit code 1 and names them, whatever they hold",
    { timeout: patience(240_000) },
    async () => {
      await mined("made")
      const files = [
        file("garbage.dat", randomBytes(5_000)),
        file("empty.dat", new Uint8Array(0)),
        file("zeros.dat", new Uint8Array(100_000)),
        file("records.dat", record(REGTEST.magic, Buffer.alloc(300, 0xab))),
        file("other.dat", record(MAINNET.magic, Buffer.alloc(300)))
      ]
      for (const each of files) {
        const { code, stderr, stdout } = await runNodeIn(root, ["import", ...on("into"), each])
        assert.deepStrictEqual([code, stdout], [1, ""], each)
        assert.include(stderr, `node: ${each}: holds no block of regtest`)
      }
      const together = await runNodeIn(root, ["import", ...on("into"), ...files])
      assert.strictEqual(together.code, 1)
      for (const each of files) assert.include(together.stderr, `node: ${each}: holds no block of regtest`)
    }
  )

  it(
    "takes in what other files hold, and fails for the one that holds none",
    { timeout: patience(240_000) },
    async () => {
      const blocks = await mined("source")
      const key = readFileSync(join(blocks, "xor.dat"))
      const plain = readFileSync(join(blocks, "blk00000.dat")).map((byte, at) => byte ^ key[at % key.length]!)
      file("good.dat", plain)
      file("bad.dat", randomBytes(900))
      const mixed = await runNodeIn(root, ["import", ...on("target"), "good.dat", "bad.dat"])
      assert.strictEqual(mixed.code, 1)
      assert.match(mixed.stderr, /node: 3 blocks taken in\nnode: bad\.dat: holds no block of regtest/)
      const again = await runNodeIn(root, ["import", ...on("target"), "good.dat"])
      assert.deepStrictEqual([again.code, again.stdout], [0, "0 blocks taken in\n"], again.stderr)
      const fresh = await runNodeIn(root, ["import", ...on("fresh"), "good.dat"])
      assert.deepStrictEqual([fresh.code, fresh.stdout], [0, "3 blocks taken in\n"], fresh.stderr)
    }
  )
})

describe("node rebuild", () => {
  it("from block files that hold nothing fails", { timeout: patience(240_000) }, async () => {
    const blocks = await mined("lost")
    writeFileSync(join(blocks, "blk00000.dat"), randomBytes(2_000))
    const { code, stderr, stdout } = await runNodeIn(root, ["rebuild", ...on("lost")])
    assert.deepStrictEqual([code, stdout], [1, ""], stderr)
    assert.include(stderr, "blk00000.dat: holds no block of regtest")
  })
})
