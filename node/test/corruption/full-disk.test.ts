import { assert, describe, it } from "@effect/vitest"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { reference } from "../crash/reference.ts"
import { freePort, type NodeProcess, type RunningNode, spawnNode, startNode } from "../process/node-process.ts"
import { type RpcClient, RpcFailure } from "../process/rpc-client.ts"
import { freeBytes, mayMount, mountDisk, unmountDisk } from "./small-disk.ts"
import { patience } from "../process/patience.ts"

const TOKEN = "full-disk-admin"

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

interface SmallDisk {
  /** Leaves so many bytes free. */
  readonly fill: (left: number) => void
  readonly makeRoom: () => void
  readonly start: () => Promise<RunningNode>
  /** Starts a node that need not get to its end. */
  readonly spawn: () => NodeProcess
  /** Beside the disk. */
  readonly root: string
  readonly data: string
  /** What {@link fill} writes and {@link makeRoom} removes. */
  readonly ballast: string
}

const onSmallDisk = async (backend: string, use: (disk: SmallDisk) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-full-"))
  const disk = join(root, "disk")
  const [config, ballast] = [join(root, "node.toml"), join(disk, "ballast")]
  const text = configWith(
    TOKEN,
    `[storage]`,
    `database_backend = "${backend}"`,
    // The disk is to be really full, not nearly.
    `min_free_disk_mb = 0`
  )
  mkdirSync(disk)
  writeFileSync(config, text, { mode: 0o600 })
  assert.isTrue(mountDisk(disk, "size=6m"))
  const started: Array<NodeProcess> = []
  const clients: Array<RpcClient> = []
  const args = ["--config", config, "--data-dir", join(disk, "data"), "--rpc-addr", `127.0.0.1:${await freePort()}`]
  try {
    await use({
      root,
      fill: (left) => writeFileSync(ballast, Buffer.alloc(freeBytes(disk) - left)),
      makeRoom: () => unlinkSync(ballast),
      data: join(disk, "data"),
      ballast,
      start: async () => {
        const node = await startNode(join(disk, "data"), { args: ["--config", config], token: TOKEN })
        started.push(node)
        clients.push(node.client)
        return node
      },
      spawn: () => {
        const node = spawnNode(["start", ...args])
        started.push(node)
        return node
      }
    })
  } finally {
    for (const node of started) {
      node.signal("SIGKILL")
      await node.ended
    }
    for (const client of clients) client.close()
    unmountDisk(disk)
    rmSync(root, { recursive: true })
  }
}

interface Info {
  readonly blocks: number
  readonly bestblockhash: string
  readonly warnings: ReadonlyArray<string>
}

const infoOf = async ({ client }: RunningNode): Promise<Info> => await client.call("getblockchaininfo") as Info

const FULL = "The disk is full"

/** Calls that would write, and some that need to know for sure what is written. */
const WRITING: ReadonlyArray<readonly [method: string, ...params: ReadonlyArray<unknown>]> = [
  ["generatetoaddress", 1, OPEN_ADDRESS],
  ["submitblock", "00"],
  ["submitheader", "00".repeat(80)],
  ["invalidateblock", "00".repeat(32)],
  ["setmocktime", 1_700_000_000],
  ["verifychain", 1, 1],
  ["gettxoutsetinfo", "none"]
]

const isRefused = async ({ client }: RunningNode, method: string, ...params: ReadonlyArray<unknown>): Promise<void> => {
  const said = await client.call(method, ...params).then(
    (answer) => JSON.stringify(answer),
    (error: Error) => error.message
  )
  assert.include(said, FULL, method)
}

/** Blocks whose coins and headers take more room than is left. */
const BEHIND = 300

/** Mines until the disk is full and calls are refused; answers what the refusal says. */
const mineUntilFull = async (node: RunningNode): Promise<string> => {
  for (let i = 0; i < 500; i++) {
    try {
      await node.client.call("generatetoaddress", 5, OPEN_ADDRESS)
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      assert.isTrue((await infoOf(node)).warnings.some((warning) => warning.includes(FULL)))
      assert.strictEqual(error.code, -20, error.message)
      return error.message
    }
  }
  throw new Error("the disk does not fill up")
}

const untilRoomIsSeen = async (node: RunningNode): Promise<void> => {
  const end = performance.now() + patience(20_000)
  while (performance.now() < end && (await infoOf(node)).warnings.length > 0) await pause(50)
  assert.deepStrictEqual((await infoOf(node)).warnings, [])
}

const coinsAreRight = async (node: RunningNode): Promise<void> => {
  const { blocks } = await infoOf(node)
  const clean = reference()
  const hashes: Array<string> = []
  for (let height = 1; height <= blocks; height++) hashes.push(await node.client.call("getblockhash", height) as string)
  await clean.follow(hashes, async (hash) => await node.client.call("getblock", hash, 0) as string)
  const { muhash } = await node.client.call("gettxoutsetinfo", "muhash", null, false) as { muhash: string }
  assert.strictEqual(muhash, clean.muHash())
  assert.isTrue(await node.client.call("verifychain", 4, 0))
}

/** LevelDB writes when it is opened, so a start must say what is missing; LMDB needs no room, so the node runs. */
const startWithoutRoom = async (
  backend: string,
  disk: SmallDisk,
  use: (node: RunningNode) => Promise<void>
): Promise<void> => {
  if (backend === "heed3") {
    const running = await disk.start()
    await use(running)
    running.client.close()
    running.signal("SIGTERM")
    const { exitCode, stderr } = await running.ended
    return assert.deepStrictEqual([exitCode, stderr], [0, ""])
  }
  const node = disk.spawn()
  const { exitCode, stderr } = await node.ended
  assert.strictEqual(exitCode, 1, stderr)
  assert.match(stderr, /^node: [^\n]*no space[^\n]*Free some space[^\n]*\n$/i)
}

/** Raw blocks so old that a node which takes them in is in its initial download, where a commit waits. */
const oldBlocks = async (count: number): Promise<ReadonlyArray<string>> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-old-"))
  const config = join(root, "node.toml")
  writeFileSync(config, configWith(TOKEN), {
    mode: 0o600
  })
  const node = await startNode(join(root, "data"), { args: ["--config", config], token: TOKEN })
  try {
    await node.client.call("setmocktime", 1_700_000_000)
    const hashes = await node.client.call("generatetoaddress", count, OPEN_ADDRESS) as ReadonlyArray<string>
    return await Promise.all(hashes.map(async (hash) => await node.client.call("getblock", hash, 0) as string))
  } finally {
    node.signal("SIGKILL")
    await node.ended
    node.client.close()
    rmSync(root, { recursive: true })
  }
}

describe("a disk that is full", () => {
  for (const backend of ["heed3", "leveldb"]) {
    it.skipIf(!mayMount)(
      `refuses calls on ${backend} until there is room, and takes nothing away from a node that is killed meanwhile`,
      async () => {
        await onSmallDisk(backend, async (disk) => {
          const { fill, makeRoom, start } = disk
          const node = await start()
          fill(300_000)
          assert.match(await mineUntilFull(node), /^The disk is full[^\n]*no space[^\n]*Free some space/i)
          const { bestblockhash, blocks } = await infoOf(node)
          assert.isAbove(blocks, 5)
          assert.isString(await node.client.call("getblock", bestblockhash, 0))
          for (const [method, ...params] of WRITING) await isRefused(node, method, ...params)
          makeRoom()
          await untilRoomIsSeen(node)
          assert.strictEqual(await node.client.call("getblockhash", blocks), bestblockhash)
          assert.lengthOf(await node.client.call("generatetoaddress", 5, OPEN_ADDRESS) as ReadonlyArray<string>, 5)

          fill(100_000)
          await mineUntilFull(node)
          const before = await infoOf(node)
          node.signal("SIGKILL")
          await node.ended
          await startWithoutRoom(backend, disk, async (full) => {
            assert.strictEqual(await full.client.call("getblockhash", before.blocks), before.bestblockhash)
          })
          makeRoom()
          const after = await start()
          assert.isAtLeast((await infoOf(after)).blocks, before.blocks)
          assert.strictEqual(await after.client.call("getblockhash", before.blocks), before.bestblockhash)
          await after.client.call("generatetoaddress", 2, OPEN_ADDRESS)
          await coinsAreRight(after)
          await after.client.call("stop")
          const { exitCode, stderr } = await after.ended
          assert.deepStrictEqual([exitCode, stderr], [0, ""])
        })
      }
    )

    it.skipIf(!mayMount)(`makes a stop that could not write everything an error (${backend})`, async () => {
      const blocks = await oldBlocks(100)
      await onSmallDisk(backend, async ({ fill, makeRoom, start }) => {
        const node = await start()
        for (const block of blocks) assert.isNull(await node.client.call("submitblock", block))
        fill(0)
        node.signal("SIGTERM")
        const { exitCode, stderr, stdout } = await node.ended
        assert.strictEqual(exitCode, 1, stdout)
        assert.match(
          stderr,
          /^node: What changed since the last commit could not be written: [^\n]*Free some space[^\n]*\n$/
        )
        makeRoom()
        const after = await start()
        for (const block of blocks.slice((await infoOf(after)).blocks)) {
          assert.isNull(await after.client.call("submitblock", block))
        }
        await coinsAreRight(after)
        await after.client.call("stop")
        const ending = await after.ended
        assert.deepStrictEqual([ending.exitCode, ending.stderr], [0, ""])
      })
    })

    it.skipIf(!mayMount)(`ends a start that waits for room when the node is to stop (${backend})`, async () => {
      await onSmallDisk(backend, async (disk) => {
        const { fill, makeRoom, start } = disk
        const store = join(disk.data, "regtest", `store-${backend}`)
        const run = async (use: (node: RunningNode) => Promise<void>): Promise<void> => {
          const running = await start()
          await use(running)
          await running.client.call("stop")
          const { exitCode, stderr } = await running.ended
          assert.deepStrictEqual([exitCode, stderr], [0, ""])
        }
        await run(async () => {})
        const older = join(disk.root, "older")
        cpSync(store, older, { recursive: true })
        await run(async ({ client }) => void await client.call("generatetoaddress", BEHIND, OPEN_ADDRESS))
        // The store knows of no block any more, so the start takes them all in from their file.
        rmSync(store, { recursive: true })
        cpSync(older, store, { recursive: true })
        fill(40_000)
        const node = disk.spawn()
        const end = performance.now() + patience(20_000)
        while (performance.now() < end && !node.stdout().includes(FULL)) await pause(50)
        assert.include(node.stdout(), FULL)
        assert.notInclude(node.stdout(), "startup complete")
        node.signal("SIGTERM")
        const ending = await Promise.race([node.ended, pause(patience(15_000))])
        if (ending === undefined) return assert.fail("the node does not stop while it waits for room")
        assert.match(ending.stderr, /^node: [^\n]*no space[^\n]*Free some space[^\n]*\n$/i)
        assert.strictEqual(ending.exitCode, 1)
        makeRoom()
        await run(async (after) => {
          assert.strictEqual((await infoOf(after)).blocks, BEHIND)
          await coinsAreRight(after)
        })
      })
    })

    it.skipIf(!mayMount)(`keeps no node from starting that needs no room to (${backend})`, async () => {
      await onSmallDisk(backend, async (disk) => {
        const { fill, makeRoom, start } = disk
        const cookie = join(disk.data, "regtest", ".cookie")
        const first = await start()
        await first.client.call("generatetoaddress", 3, OPEN_ADDRESS)
        await first.client.call("stop")
        assert.strictEqual((await first.ended).exitCode, 0)
        fill(0)
        await startWithoutRoom(backend, disk, async (node) => {
          assert.strictEqual(await node.client.call("getblockcount"), 3)
          assert.isFalse(existsSync(cookie))
          assert.include(node.stdout(), "the disk is full")
          makeRoom()
          await node.client.call("generatetoaddress", 1, OPEN_ADDRESS)
          // The node looks again every second.
          const end = performance.now() + patience(10_000)
          while (performance.now() < end && !existsSync(cookie)) await pause(50)
          assert.match(readFileSync(cookie, "utf8"), /^__cookie__:[0-9a-f]{64}$/)
        })
        if (existsSync(disk.ballast)) makeRoom()
        const after = await start()
        assert.strictEqual(await after.client.call("getblockcount"), backend === "heed3" ? 4 : 3)
        await coinsAreRight(after)
        await after.client.call("stop")
        assert.strictEqual((await after.ended).exitCode, 0)
        assert.isFalse(existsSync(cookie))
      })
    })

    it.skipIf(!mayMount)(
      `is refused in words when there is too little room for a first start (${backend})`,
      async () => {
        await onSmallDisk(backend, async (disk) => {
          for (const room of [0, 4_096, 12_288, 16_384, 20_480, 24_576]) {
            disk.fill(room)
            const node = disk.spawn()
            // What fits in is made; a node that runs then waits for room.
            const timer = setInterval(() => node.stdout().includes("startup complete") && node.signal("SIGTERM"), 20)
            const { exitCode, signal, stderr } = await node.ended
            clearInterval(timer)
            assert.isNull(signal, `${room}: ${stderr}`)
            if (exitCode !== 0) {
              assert.strictEqual(exitCode, 1, `${room}: ${stderr}`)
              assert.match(stderr, /^node: [^\n]*no space[^\n]*Free some space[^\n]*\n$/i)
            }
            disk.makeRoom()
            rmSync(disk.data, { recursive: true, force: true })
          }
        })
      }
    )
  }
})
