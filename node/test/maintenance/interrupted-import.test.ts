import { assert, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { freeBytes, mayMount, mountDisk, unmountDisk } from "../corruption/small-disk.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { type NodeProcess, spawnNode, startNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"

const TOKEN = "interrupted-admin"
const BLOCKS = 150

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const configIn = (root: string, leastFree: number): string => {
  const config = join(root, `node-${leastFree}.toml`)
  // LevelDB is not opened on a full disk: it writes when it opens.
  const text = configWith(TOKEN, `[storage]`, `min_free_disk_mb = ${leastFree}`, `database_backend = "heed3"`)
  writeFileSync(config, text, { mode: 0o600 })
  return config
}

/** A file of blocks, with the key beside it. */
const makeBlocks = async (root: string): Promise<string> => {
  const node = await startNode(join(root, "made"), { args: ["--config", configIn(root, 1)], token: TOKEN })
  await node.client.call("generatetoaddress", BLOCKS, OPEN_ADDRESS)
  await node.client.call("stop")
  await node.ended
  node.client.close()
  cpSync(join(root, "made", "regtest", "blocks"), join(root, "blocks"), { recursive: true })
  return join(root, "blocks", "blk00000.dat")
}

const running = new Set<NodeProcess>()

const run = (root: string, data: string, leastFree: number, ...command: ReadonlyArray<string>): NodeProcess => {
  const node = spawnNode([
    ...command,
    "--network",
    "regtest",
    "--config",
    configIn(root, leastFree),
    "--data-dir",
    data
  ])
  running.add(node)
  return node
}

const inDirectory = async (use: (root: string) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-interrupted-"))
  try {
    await use(root)
  } finally {
    for (const node of running) node.signal("SIGKILL")
    for (const node of running) await node.ended
    running.clear()
    rmSync(root, { recursive: true })
  }
}

const untilSaid = async (node: NodeProcess, words: string): Promise<void> => {
  const end = performance.now() + patience(60_000)
  while (performance.now() < end && !node.stdout().includes(words)) await pause(50)
  assert.include(node.stdout(), words, node.stderr())
}

const words = (signal: string): RegExp =>
  new RegExp(`\\nnode: the import was stopped by ${signal}: what was taken in is kept[^\\n]*\\n`)

describe("an import that is interrupted", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`by ${signal} while it waits for room ends with a message and goes on the next time`, async () => {
      await inDirectory(async (root) => {
        const file = await makeBlocks(root)
        const data = join(root, "data")
        // No disk has as much as that free.
        const waiting = run(root, data, 1_000_000_000, "import", file)
        await untilSaid(waiting, "nothing is written until there is more")
        waiting.signal(signal)
        const ending = await Promise.race([waiting.ended, pause(60_000)])
        if (ending === undefined) return assert.fail("it does not end")
        assert.deepStrictEqual([ending.exitCode, ending.signal], [1, null], ending.stderr)
        assert.match(`\n${ending.stderr}`, words(signal))
        const again = await run(root, data, 1, "import", file).ended
        assert.strictEqual(again.exitCode, 0, again.stderr)
        assert.match(again.stdout, /blocks taken in\n$/)
        const verified = await run(root, data, 1, "verify", "--level", "4", "--blocks", "0").ended
        assert.deepStrictEqual([verified.exitCode, verified.stdout], [0, "the chain holds\n"])
      })
    })
  }

  it.skipIf(!mayMount)(
    "by SIGTERM on a full disk says what could not be written, and on a line of its own",
    async () => {
      await inDirectory(async (root) => {
        const file = await makeBlocks(root)
        const disk = join(root, "disk")
        mkdirSync(disk)
        assert.isTrue(mountDisk(disk, "size=6m"))
        try {
          const ballast = join(disk, "ballast")
          const first = await run(root, join(disk, "data"), 0, "import", join(root, "blocks", "xor.dat")).ended
          assert.notInclude(first.stderr, "internal error")
          writeFileSync(ballast, Buffer.alloc(freeBytes(disk) - 8_192))
          const waiting = run(root, join(disk, "data"), 0, "import", file)
          await untilSaid(waiting, "The disk is full")
          waiting.signal("SIGTERM")
          const ending = await Promise.race([waiting.ended, pause(60_000)])
          if (ending === undefined) return assert.fail("it does not end")
          assert.deepStrictEqual([ending.exitCode, ending.signal], [1, null], ending.stderr)
          assert.match(`\n${ending.stderr}`, words("SIGTERM"))
          assert.match(
            ending.stderr,
            /\nnode: what changed since the last commit could not be written: [^\n]*no space[^\n]*Free some space[^\n]*\n$/i
          )
          rmSync(ballast)
          const again = await run(root, join(disk, "data"), 0, "import", file).ended
          assert.strictEqual(again.exitCode, 0, again.stderr)
        } finally {
          for (const node of running) {
            node.signal("SIGKILL")
            await node.ended
          }
          unmountDisk(disk)
        }
      })
    }
  )
})
