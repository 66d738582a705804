import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RunningNode, startNode } from "../process/node-process.ts"
import { type Outcome, runNodeIn } from "./command-line.ts"
import { patience } from "../process/patience.ts"

const TCP = "transport_preference = \"tcponly\"\n"

/** A server of another program, while it is asked. */
const beside = async (server: Server, ask: (port: number) => Promise<Outcome>): Promise<Outcome> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    return await ask((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

describe("what goes wrong is said with what to do next", () => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-messages-"))
  const config = join(directory, "node.toml")
  const data = join(directory, "data")
  let node: RunningNode

  beforeAll(async () => {
    writeFileSync(config, `${TCP}[rpc_auth]\nadmin_tokens = ["right"]\n`, { mode: 0o600 })
    node = await startNode(data, { args: ["--config", config], token: "right" })
  }, patience(30_000))

  afterAll(async () => {
    await node.client.call("stop")
    node.client.close()
    await node.ended
    rmSync(directory, { recursive: true, force: true })
  })

  const askIn = (home: string, ...args: ReadonlyArray<string>): Promise<Outcome> => {
    mkdirSync(home, { recursive: true })
    return runNodeIn(home, args)
  }
  const address = (): string => `127.0.0.1:${node.port}`
  const elsewhere = join(directory, "elsewhere")

  it("no node: how to start one, and how to name another", async () => {
    const { code, stderr } = await askIn(elsewhere, "status", "--rpc-addr", "127.0.0.1:1")
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(stderr.split("\n"), [
      "node: no node answers on 127.0.0.1:1: nothing listens there",
      "node: is it running? `lockstep start` starts it",
      "node: if it runs, give this command what it was started with: --network, --rpc-addr, --data-dir, --config",
      ""
    ])
  })

  it("another program on the port, whether it speaks HTTP or not", async () => {
    const web = createHttpServer((_, response) => response.writeHead(501).end("<html>"))
    const page = await beside(web, (port) => askIn(elsewhere, "status", "--rpc-addr", `127.0.0.1:${port}`))
    assert.match(
      page.stderr,
      /^node: what answers on 127\.0\.0\.1:\d+ is not a node \(HTTP 501\)\nnode: give this command the --network, --rpc-addr or/
    )
    const shell = createServer((socket) => void socket.on("error", () => {}).end("SSH-2.0-something\r\n"))
    const greeting = await beside(shell, (port) => askIn(elsewhere, "rpc", "uptime", "--rpc-addr", `127.0.0.1:${port}`))
    assert.match(greeting.stderr, /is not a node: it does not speak HTTP\nnode: give this command the --network/)
    assert.deepStrictEqual([page.code, greeting.code], [1, 1])
  })

  it("wrong credentials: which were shown, and where the right ones are", async () => {
    mkdirSync(elsewhere, { recursive: true })
    writeFileSync(join(elsewhere, "wrong.toml"), `${TCP}[rpc_auth]\nadmin_tokens = ["wrong"]\n`, { mode: 0o600 })
    for (const command of [["status"], ["sync"], ["health"], ["rpc", "uptime"]]) {
      const { code, stderr } = await askIn(elsewhere, ...command, "--rpc-addr", address(), "--config", "wrong.toml")
      assert.strictEqual(code, 1)
      assert.include(stderr, "wants other credentials (HTTP 401)")
      assert.include(stderr, `this command showed the admin token of ${join(elsewhere, "wrong.toml")}\n`)
      assert.include(
        stderr,
        "give this command the --config that the node was started with, or the --data-dir in which it keeps its cookie\n"
      )
      assert.notInclude(stderr, "\"wrong\"")
    }
  })

  it("no credentials where an administrator is needed: where a cookie was looked for", async () => {
    const none = await askIn(elsewhere, "rpc", "logging", "--rpc-addr", address(), "--data-dir", "nowhere")
    assert.strictEqual(none.code, 1)
    assert.include(none.stderr, "wants other credentials (HTTP 403): Method 'logging' requires admin privileges\n")
    assert.include(none.stderr, `there is no cookie ${join(elsewhere, "nowhere/regtest/.cookie")}`)
    const right = await askIn(elsewhere, "rpc", "logging", "--rpc-addr", address(), "--data-dir", data)
    assert.deepStrictEqual([right.code, right.stderr], [0, ""])
  })

  // The superuser may read everything.
  it.skipIf(process.getuid?.() === 0)("a cookie that cannot be read", async () => {
    const locked = join(elsewhere, "locked", "regtest")
    mkdirSync(locked, { recursive: true })
    writeFileSync(join(locked, ".cookie"), "x:y")
    chmodSync(join(locked, ".cookie"), 0)
    const { stderr } = await askIn(elsewhere, "rpc", "logging", "--rpc-addr", address(), "--data-dir", "locked")
    assert.include(stderr, "cannot be read: EACCES; be the user who runs the node")
  })

  it("a cookie that is a directory cannot be read by any user", async () => {
    mkdirSync(join(elsewhere, "odd", "regtest", ".cookie"), { recursive: true })
    const { stderr } = await askIn(elsewhere, "rpc", "logging", "--rpc-addr", address(), "--data-dir", "odd")
    assert.include(stderr, "cannot be read: EISDIR; be the user who runs the node")
  })

  it("a cookie of an earlier start", async () => {
    const old = join(elsewhere, "old", "regtest")
    mkdirSync(old, { recursive: true })
    writeFileSync(join(old, ".cookie"), "__cookie__:00")
    const { stderr } = await askIn(elsewhere, "status", "--rpc-addr", address(), "--data-dir", "old")
    assert.include(stderr, `this command showed the cookie ${join(old, ".cookie")}\n`)
    assert.include(stderr, "a cookie holds until the node stops")
  })

  it("a node on another machine is called without a word about who may listen there", async () => {
    const { code, stderr } = await askIn(elsewhere, "status", "--rpc-addr", "localhost.invalid:1")
    assert.strictEqual(code, 1)
    assert.match(stderr, /^node: no node answers on localhost\.invalid:1: /)
  })

  it("parameters that do not fit: the help of the method, or where it is", async () => {
    const ask = (...args: ReadonlyArray<string>): Promise<Outcome> =>
      askIn(elsewhere, "rpc", ...args, "--rpc-addr", address(), "--data-dir", data)
    const few = await ask("getblockhash")
    assert.match(
      few.stderr,
      /^node: these parameters do not fit getblockhash: they are too many, or too few\nnode: getblockhash height\n/
    )
    for (
      const command of [["addnode", "127.0.0.2", "frob"], ["setban", "1.2.3.4", "frob"], [
        "setban",
        "subnet=1.2.3.4",
        "command=frob"
      ]]
    ) {
      const value = await ask(...command)
      assert.strictEqual(value.code, 1)
      assert.match(
        value.stderr,
        new RegExp(`^node: ${command[0]} does not take one of these values\nnode: ${command[0]} "`)
      )
    }
    const many = await ask("setban", "1.2.3.4", "add", "1", "true", "5")
    assert.match(many.stderr, /^node: these parameters do not fit setban: they are too many, or too few\n/)
    const name = await ask("getblockhash", "heigth=3")
    assert.deepStrictEqual([name.code, name.stderr], [
      2,
      "node: getblockhash has no parameter heigth: did you mean height?\nnode: `lockstep rpc help getblockhash` says what it takes\n"
    ])
    const kind = await ask("getblockhash", "high")
    assert.match(
      kind.stderr,
      /^node: error -3: [\s\S]*not of expected type number"\nnode: }\nnode: `lockstep rpc help getblockhash` says what it takes\n$/
    )
    const unknown = await ask("getblockhsh", "1")
    assert.include(unknown.stderr, "did you mean getblockhash? `lockstep rpc help` lists all methods\n")
  })
})
