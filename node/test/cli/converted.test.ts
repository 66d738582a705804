import { afterAll, assert, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, spawnNode } from "../process/node-process.ts"
import { basic, type Exchange, exchange } from "../rpc/http-exchange.ts"
import { runNodeIn } from "./command-line.ts"

const root = mkdtempSync(join(tmpdir(), "lockstep-converted-"))

afterAll(() => rmSync(root, { recursive: true, force: true }))

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))

const call = (method: string): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] })

const SALT = "f00d"
const PASSWORD = "correct horse"

describe("a converted bitcoin.conf", () => {
  it("is started as it is, and lets in and keeps out what Bitcoin Core would", async () => {
    const [rpcPort, peerPort] = [await freePort(), await freePort()]
    writeFileSync(
      join(root, "bitcoin.conf"),
      [
        "regtest=1",
        "server=1",
        "rest=1",
        `datadir=${join(root, "data")}`,
        "blocksonly=1",
        "onlynet=ipv4",
        "rpcuser=carol",
        "rpcpassword=hunter2",
        `rpcauth=alice:${SALT}$${createHmac("sha256", SALT).update(PASSWORD).digest("hex")}`,
        "rpcwhitelist=carol:getblockcount,getnetworkinfo",
        "rpcwhitelistdefault=0",
        "rpcallowip=127.0.0.1",
        "zmqpubrawtx=tcp://127.0.0.1:1",
        "[regtest]",
        `rpcport=${rpcPort}`,
        `bind=127.0.0.1:${peerPort}`
      ].join("\n")
    )
    const converted = await runNodeIn(root, ["config", "convert-core", "bitcoin.conf", "-o", "node.toml"])
    assert.deepStrictEqual([converted.code, converted.stdout], [0, "Draft written: node.toml\n"])
    assert.deepStrictEqual(await runNodeIn(root, ["config", "validate", "node.toml"]), {
      code: 0,
      stdout: "Configuration file is valid: node.toml\n",
      stderr: ""
    })

    const config = join(root, "node.toml")
    const node = spawnNode(["start", "--config", config], {
      NODE_RPC_ADDR: `127.0.0.1:${rpcPort}`,
      NODE_LISTEN_ADDR: ""
    })
    const ask = (method: string, who?: string): Promise<Exchange> =>
      exchange({ host: "127.0.0.1", port: rpcPort }, {
        headers: who === undefined ? {} : { authorization: basic(who) },
        body: call(method)
      })
    const statusOf = async (method: string, who?: string): Promise<number> => (await ask(method, who)).status
    const isReady = async (): Promise<boolean> =>
      (await ask("getblockcount", "carol:hunter2")).body.includes("\"result\":0")
    try {
      for (let tries = 0; tries < 1_200 && !await isReady().catch(() => false); tries++) await pause()
      assert.strictEqual(await statusOf("getblockcount", "carol:hunter2"), 200)
      assert.strictEqual(await statusOf("getbestblockhash", "carol:hunter2"), 403)
      assert.strictEqual(await statusOf("getbestblockhash", `alice:${PASSWORD}`), 200)
      assert.strictEqual(await statusOf("getbestblockhash", "alice:wrong"), 401)
      assert.strictEqual(await statusOf("getblockcount"), 401)
      const asked = ["--config", config, "--rpc-addr", `127.0.0.1:${rpcPort}`]
      const info = await runNodeIn(root, ["rpc", ...asked, "getnetworkinfo"])
      assert.strictEqual(info.code, 0, info.stderr)
      assert.isFalse((JSON.parse(info.stdout) as { readonly localrelay: boolean }).localrelay)
      const best = await runNodeIn(root, ["rpc", ...asked, "getbestblockhash"])
      assert.strictEqual(best.code, 0, best.stderr)
    } finally {
      node.signal("SIGTERM")
    }
    const { exitCode, stderr } = await node.ended
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
  })

  it("without settings about privacy or access: exit code 3, and the draft is there nevertheless", async () => {
    writeFileSync(
      join(root, "hidden.conf"),
      "dbcache=100\nexternalip=192.0.2.1\nnetworkactive=0\ndbbatchsize=5\n"
    )
    const printed = await runNodeIn(root, ["config", "convert-core", "hidden.conf"])
    assert.strictEqual(printed.code, 3)
    assert.include(printed.stdout, "dbcache_mb = 100")
    assert.deepStrictEqual(printed.stderr.trimEnd().split("\n"), [
      "node: hidden.conf:4: dbbatchsize: has no counterpart here",
      "node: these settings decide who reaches the node, who may do what or what it shows, and the draft is without them:",
      "node: hidden.conf:2: externalip: the address to announce cannot be set",
      "node: hidden.conf:3: networkactive: the node starts with its network on; setnetworkactive switches it off"
    ])
    const written = await runNodeIn(root, ["config", "convert-core", "hidden.conf", "-o", "hidden.toml"])
    assert.deepStrictEqual([written.code, written.stdout], [3, "Draft written: hidden.toml\n"])
    assert.strictEqual((await runNodeIn(root, ["config", "validate", "hidden.toml"])).code, 0)
  })

  it("validate refuses what start refuses, with the same words and exit code", async () => {
    writeFileSync(join(root, "refused.toml"), "transport_preference = \"tcponly\"\n[fibre]\nenabled = true\n", {
      mode: 0o600
    })
    const path = join(root, "refused.toml")
    const validated = await runNodeIn(root, ["config", "validate", path])
    const started = await runNodeIn(root, ["start", "--config", path, "--data-dir", join(root, "none")])
    assert.deepStrictEqual(validated, { code: 2, stdout: "", stderr: started.stderr })
    assert.strictEqual(started.code, 2)
  })
})
