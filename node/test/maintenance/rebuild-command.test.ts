import { assert, describe, it } from "@effect/vitest"
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { type Ending, type RunningNode, spawnNode, startNode } from "../process/node-process.ts"

const TOKEN = "rebuild-admin"

/** So many blocks that their undo data are not taken for the remains of a first start. */
const LONG = 120

interface Place {
  readonly data: string
  readonly blocks: string
  readonly store: string
  readonly start: () => Promise<RunningNode>
  /** Runs a command on the data directory to its end. */
  readonly run: (...args: ReadonlyArray<string>) => Promise<Ending>
}

const inPlace = async (backend: string, use: (place: Place) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-rebuild-"))
  const config = join(root, "node.toml")
  const text = configWith(TOKEN, `[storage]`, `database_backend = "${backend}"`)
  writeFileSync(config, text, { mode: 0o600 })
  const data = join(root, "data", "regtest")
  const nodes: Array<RunningNode> = []
  const args = ["--network", "regtest", "--data-dir", join(root, "data"), "--config", config]
  try {
    await use({
      data,
      blocks: join(data, "blocks"),
      store: join(data, `store-${backend}`),
      start: async () => {
        const node = await startNode(join(root, "data"), { args: ["--config", config], token: TOKEN })
        nodes.push(node)
        return node
      },
      run: (command, ...more) => spawnNode([command!, ...args, ...more]).ended
    })
  } finally {
    for (const node of nodes) {
      node.signal("SIGKILL")
      await node.ended
      node.client.close()
    }
    rmSync(root, { recursive: true })
  }
}

const stop = async (node: RunningNode): Promise<void> => {
  await node.client.call("stop")
  const { exitCode, stderr } = await node.ended
  assert.deepStrictEqual([exitCode, stderr], [0, ""])
}

/** A chain of some blocks, and these. */
const grow = async ({ start }: Place, count: number): Promise<ReadonlyArray<string>> => {
  const node = await start()
  const hashes = await node.client.call("generatetoaddress", count, OPEN_ADDRESS) as ReadonlyArray<string>
  const blocks = await Promise.all(hashes.map(async (hash) => await node.client.call("getblock", hash, 0) as string))
  await stop(node)
  return blocks
}

const sizesIn = (directory: string): Readonly<Record<string, number>> =>
  Object.fromEntries(readdirSync(directory).sort().map((name) => [name, statSync(join(directory, name)).size]))

const heightOf = async ({ client }: RunningNode): Promise<number> => await client.call("getblockcount") as number

describe("node rebuild", () => {
  for (const backend of ["heed3", "leveldb"]) {
    it(`helps where the only block file is gone and its undo file is not, as start says (${backend})`, async () => {
      await inPlace(backend, async (place) => {
        const blocks = await grow(place, LONG)
        rmSync(join(place.blocks, "blk00000.dat"))
        const refused = await place.run("start", "--rpc-addr", "127.0.0.1:0")
        assert.strictEqual(refused.exitCode, 1)
        assert.match(refused.stderr, /blk00000\.dat is missing[^\n]*`lockstep rebuild`/)

        const rebuilt = await place.run("rebuild")
        assert.deepStrictEqual(
          [rebuilt.exitCode, rebuilt.stdout],
          [0, "the chain is made again up to height 0\n"],
          rebuilt.stderr
        )
        const node = await place.start()
        for (const block of blocks) assert.isNull(await node.client.call("submitblock", block))
        assert.isTrue(await node.client.call("verifychain", 4, 0))
        await stop(node)
        const again = await place.run("rebuild")
        assert.deepStrictEqual(
          [again.exitCode, again.stdout],
          [0, `the chain is made again up to height ${LONG}\n`],
          again.stderr
        )
      })
    })

    it(`that was killed before it knew that it can succeed is as if it had not begun (${backend})`, async () => {
      await inPlace(backend, async (place) => {
        await grow(place, 8)
        renameSync(place.store, `${place.store}.old`)
        const node = await place.start()
        assert.strictEqual(await heightOf(node), 8)
        assert.notInclude(node.stdout(), "made anew")
        assert.isFalse(existsSync(`${place.store}.old`))
        await stop(node)
        // Behind that moment the old store is only what is left to remove.
        renameSync(place.store, `${place.store}.dropped`)
        const rebuilt = await place.run("rebuild")
        assert.strictEqual(rebuilt.exitCode, 0, rebuilt.stderr)
        assert.isFalse(existsSync(`${place.store}.dropped`))
      })
    })
  }

  it("starts where an undo file is all that is left", async () => {
    await inPlace("heed3", async (place) => {
      await grow(place, LONG)
      rmSync(join(place.blocks, "blk00000.dat"))
      rmSync(place.store, { recursive: true })
      const node = await place.start()
      assert.strictEqual(await heightOf(node), 0)
      await node.client.call("generatetoaddress", 2, OPEN_ADDRESS)
      await stop(node)
    })
  })

  it("leaves the files of blocks as they are, however often it is done", async () => {
    await inPlace("heed3", async (place) => {
      await grow(place, 8)
      const before = sizesIn(place.blocks)
      for (let i = 0; i < 3; i++) {
        const { exitCode, stderr, stdout } = await place.run("rebuild")
        assert.deepStrictEqual([exitCode, stdout], [0, "the chain is made again up to height 8\n"], stderr)
        assert.deepStrictEqual(sizesIn(place.blocks), before)
      }
      const node = await place.start()
      assert.strictEqual(await heightOf(node), 8)
      assert.isString(await node.client.call("getblock", await node.client.call("getblockhash", 0), 0))
      assert.isTrue(await node.client.call("verifychain", 4, 0))
      await stop(node)
    })
  })

  it("changes nothing when it cannot succeed: block files without a key to read them with", async () => {
    await inPlace("heed3", async (place) => {
      await grow(place, 8)
      const [key, saved] = [join(place.blocks, "xor.dat"), join(place.data, "key")]
      copyFileSync(key, saved)
      truncateSync(key, 3)
      // Without its first block a file does not show the key.
      const file = join(place.blocks, "blk00000.dat")
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.map((byte, i) => i < 300 ? byte ^ (i * 7) : byte))
      for (let i = 0; i < 2; i++) {
        const { exitCode, stderr } = await place.run("rebuild")
        assert.strictEqual(exitCode, 1)
        assert.match(stderr, /^node: [^\n]*xor\.dat[^\n]*Restore it from a backup[^\n]*\n$/)
      }
      writeFileSync(file, bytes)
      copyFileSync(saved, key)
      const node = await place.start()
      assert.strictEqual(await heightOf(node), 8)
      assert.notInclude(node.stdout(), "made anew")
      assert.isTrue(await node.client.call("verifychain", 4, 0))
      await stop(node)
      assert.deepStrictEqual(readdirSync(place.data).filter((name) => /\.(?:old|dropped)$/.test(name)), [])
    })
  })

  it("changes nothing when the blocks that it is to read elsewhere are not there", async () => {
    await inPlace("heed3", async (place) => {
      await grow(place, 8)
      const { exitCode, stderr } = await place.run(
        "rebuild",
        "--set",
        `storage.core_blocks_dir=${join(place.data, "nowhere")}`
      )
      assert.strictEqual(exitCode, 1, stderr)
      assert.include(stderr, "nowhere")
      const node = await place.start()
      assert.strictEqual(await heightOf(node), 8)
      assert.notInclude(node.stdout(), "made anew")
      await stop(node)
    })
  })
})
