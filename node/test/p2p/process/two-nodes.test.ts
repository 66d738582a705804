import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, type RunningNode, startNode } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"

const TOKEN = "two-nodes"
const ADDRESS = "bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x"
const OTHER_ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
const PATIENCE_MS = patience(60_000)
const root = mkdtempSync(join(tmpdir(), "lockstep-two-nodes-"))

afterAll(() => rmSync(root, { recursive: true, force: true }))

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

interface Node {
  readonly running: RunningNode
  readonly p2pPort: number
  readonly call: <A = unknown>(method: string, ...params: ReadonlyArray<unknown>) => Promise<A>
}

const config = (() => {
  const path = join(root, "node.toml")
  writeFileSync(path, `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["${TOKEN}"]\n`)
  return path
})()

const start = async (name: string, ...args: ReadonlyArray<string>): Promise<Node> => {
  const p2pPort = await freePort()
  const running = await startNode(join(root, name), {
    token: TOKEN,
    args: ["--config", config, "--listen-addr", `127.0.0.1:${p2pPort}`, ...args]
  })
  return { running, p2pPort, call: (method, ...params) => running.client.call(method, ...params) as Promise<never> }
}

const stop = async ({ running }: Node, signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
  running.signal(signal)
  running.client.close()
  await running.ended
}

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await pause(50)
  }
}

const tip = ({ call }: Node): Promise<string> => call<string>("getbestblockhash")

const untilSame = (a: Node, b: Node): Promise<void> =>
  until("both have the same tip", async () => await tip(a) === await tip(b))

const coinsOf = async ({ call }: Node): Promise<string> =>
  (await call<{ readonly muhash: string }>("gettxoutsetinfo", "muhash")).muhash

const peersOf = ({ call }: Node): Promise<ReadonlyArray<{ readonly id: number }>> => call("getpeerinfo")

const connect = (from: Node, to: Node): Promise<unknown> => from.call("addnode", `127.0.0.1:${to.p2pPort}`, "add")

describe("two nodes over a real socket", () => {
  it("sync, follow each other, and reorganise to depth 10", { timeout: patience(180_000) }, async () => {
    const [a, b] = [await start("a"), await start("b")]
    try {
      await a.call("generatetoaddress", 150, ADDRESS)
      await connect(b, a)
      await untilSame(a, b)
      assert.strictEqual(await coinsOf(b), await coinsOf(a))
      assert.strictEqual(
        (await b.call<ReadonlyArray<{ readonly connection_type: string }>>("getpeerinfo"))[0]?.connection_type,
        "manual"
      )

      await a.call("generatetoaddress", 1, ADDRESS)
      await untilSame(a, b)
      await b.call("generatetoaddress", 1, ADDRESS)
      await untilSame(a, b)

      for (const depth of [1, 3, 10]) {
        const height = await a.call<number>("getblockcount")
        const fork = await a.call<string>("getblockhash", height - depth + 1)
        await a.call("setnetworkactive", false)
        await a.call("invalidateblock", fork)
        await a.call("generatetoaddress", depth + 1, OTHER_ADDRESS)
        await a.call("setnetworkactive", true)
        await untilSame(a, b)
        assert.strictEqual(await b.call("getblockcount"), height + 1)
        assert.strictEqual(await coinsOf(b), await coinsOf(a))
      }
    } finally {
      await stop(b)
      await stop(a)
    }
  })

  it(
    "go on where they were after one of them was killed, and reconnect by themselves",
    { timeout: patience(180_000) },
    async () => {
      const a = await start("c")
      try {
        await a.call("generatetoaddress", 400, ADDRESS)
        let b = await start("d")
        await connect(b, a)
        await until("some blocks are there", async () => await b.call<number>("getblockcount") > 50)
        await stop(b, "SIGKILL")
        b = await start("d", "--set", `persistent_peers=127.0.0.1:${a.p2pPort}`)
        try {
          await untilSame(a, b)
          assert.strictEqual(await coinsOf(b), await coinsOf(a))
          // It may have had all blocks on disk when it was killed: then both are the same before they are connected.
          await until("they are connected", async () => (await peersOf(a)).length === 1)
          await a.call("disconnectnode", "", (await peersOf(a))[0]!.id)
          await a.call("generatetoaddress", 1, ADDRESS)
          await untilSame(a, b)
        } finally {
          await stop(b)
        }
      } finally {
        await stop(a)
      }
    }
  )
})
