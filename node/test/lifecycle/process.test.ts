import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { freePort, type RunningNode, spawnNode, startNode, untilReady } from "../process/node-process.ts"
import { rpcClient, RpcFailure } from "../process/rpc-client.ts"
import { patience } from "../process/patience.ts"

const TOKEN = "lifecycle-admin"

const within = async (use: (root: string) => Promise<void>): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-lifecycle-"))
  try {
    await use(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const configFile = (root: string, more: ReadonlyArray<string> = []): string => {
  const file = join(root, "node.toml")
  writeFileSync(
    file,
    configWith(TOKEN, ...more)
  )
  return file
}

const start = (
  root: string,
  more: ReadonlyArray<string> = [],
  args: ReadonlyArray<string> = []
): Promise<RunningNode> =>
  startNode(join(root, "data"), { args: ["--config", configFile(root, more), ...args], token: TOKEN })

interface LoggedEvent {
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
}

const eventsIn = (log: string): ReadonlyArray<LoggedEvent> =>
  log.split("\n").filter((line) => line.includes(`"category":"events"`)).map((line) => {
    const { event, payload } = JSON.parse(line) as { event: string; payload: string }
    return { event, payload: JSON.parse(payload) as Record<string, unknown> }
  })

const ORDERED = new Set([
  "ConfigLoaded",
  "NodeStartupCompleted",
  "NewBlock",
  "NodeShutdown",
  "DataMaintenance",
  "NodeShutdownCompleted"
])

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe("a node as a process", () => {
  it("answers without credentials, mines only for administrators, stops on request and finds everything again", () =>
    within(async (root) => {
      const node = await start(root)
      const anonymous = rpcClient(node.port)
      const info = await anonymous.call("getblockchaininfo") as { chain: string; blocks: number }
      assert.deepInclude(info, { chain: "regtest", blocks: 0 })
      const refused = await anonymous.post(
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "generatetoaddress", params: [1, OPEN_ADDRESS] })
      )
      assert.strictEqual(refused.status, 403)
      assert.include(refused.body, "admin")
      const wrong = await anonymous.post("{}", { authorization: "Bearer wrong" })
      assert.strictEqual(wrong.status, 401)
      anonymous.close()
      const hashes = await node.client.call("generatetoaddress", 110, OPEN_ADDRESS) as ReadonlyArray<string>
      assert.lengthOf(hashes, 110)
      const set = await node.client.call("gettxoutsetinfo", "muhash")
      await node.client.call("stop")
      const ending = await node.ended
      assert.deepInclude(ending, { exitCode: 0, stderr: "" })
      node.client.close()

      const again = await start(root)
      assert.strictEqual(await again.client.call("getbestblockhash"), hashes.at(-1))
      assert.deepStrictEqual(await again.client.call("gettxoutsetinfo", "muhash"), set)
      await again.client.call("stop")
      assert.deepInclude(await again.ended, { exitCode: 0, stderr: "" })
      again.client.close()
    }))

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`stops on ${signal} as on request, and says so in the contract's order`, () =>
      within(async (root) => {
        const node = await start(root, [`[logging]`, `level = "debug"`])
        await node.client.call("generatetoaddress", 3, OPEN_ADDRESS)
        node.signal(signal)
        const { exitCode, stderr, stdout } = await node.ended
        node.client.close()
        assert.deepStrictEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" })
        const events = eventsIn(stdout)
        const order = events.map(({ event }) => event).filter((event) => ORDERED.has(event))
        assert.deepStrictEqual(order, [
          "ConfigLoaded",
          "NodeStartupCompleted",
          "NewBlock",
          "NewBlock",
          "NewBlock",
          "NodeShutdown",
          "DataMaintenance",
          "NodeShutdownCompleted"
        ])
        const payloadOf = (name: string) => events.find(({ event }) => event === name)?.payload ?? {}
        assert.deepInclude(payloadOf("NodeShutdown"), { reason: "signal" })
        assert.deepInclude(payloadOf("DataMaintenance"), { operation: "flush", urgency: "high", reason: "shutdown" })
        assert.isNumber(payloadOf("NodeShutdownCompleted")["duration_ms"])
        assert.include(payloadOf("NodeStartupCompleted")["components"], "rpc")
      }))
  }

  it("goes on in a new log file after SIGHUP", () =>
    within(async (root) => {
      const file = join(root, "node.log")
      const node = await start(root, [`[logging]`, `file = "${file}"`])
      renameSync(file, `${file}.1`)
      node.signal("SIGHUP")
      for (let tries = 0; tries < 200 && !existsSync(file); tries++) await pause(20)
      await node.client.call("stop")
      await node.ended
      node.client.close()
      assert.include(readFileSync(`${file}.1`, "utf8"), "RPC listens")
      assert.include(readFileSync(file, "utf8"), "the node has stopped")
    }))

  it("refuses a second instance on the same data, which goes on unharmed", () =>
    within(async (root) => {
      const node = await start(root)
      await node.client.call("generatetoaddress", 2, OPEN_ADDRESS)
      const second = spawnNode([
        "start",
        "--config",
        join(root, "node.toml"),
        "--data-dir",
        join(root, "data"),
        "--rpc-addr",
        `127.0.0.1:${await freePort()}`
      ])
      const ending = await second.ended
      assert.notStrictEqual(ending.exitCode, 0)
      assert.include(`${ending.stdout}${ending.stderr}`, String(node.pid))
      assert.notInclude(ending.stderr, "    at ")
      assert.strictEqual(await node.client.call("getblockcount"), 2)
      await node.client.call("stop")
      assert.strictEqual((await node.ended).exitCode, 0)
      node.client.close()
    }))

  it("answers −28 with what it is busy with from the moment it listens", () =>
    within(async (root) => {
      const port = await freePort()
      const client = rpcClient(port, TOKEN)
      const node = spawnNode([
        "start",
        "--config",
        configFile(root),
        "--data-dir",
        join(root, "data"),
        "--rpc-addr",
        `127.0.0.1:${port}`
      ])
      const codes = new Set<number>()
      const deadline = Date.now() + patience(30_000)
      while (Date.now() < deadline && !codes.has(0)) {
        await client.call("getblockcount").then(
          () => void codes.add(0),
          (error: unknown) => error instanceof RpcFailure ? void codes.add(error.code) : pause(3)
        )
      }
      await untilReady(node, client)
      assert.isTrue(codes.has(0))
      assert.sameMembers([...codes], [-28, 0])
      await client.call("stop")
      assert.strictEqual((await node.ended).exitCode, 0)
      client.close()
    }))
})
