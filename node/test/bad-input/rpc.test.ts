import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"

const TOKEN = "abuse-admin"
const MEBIBYTE = 1024 * 1024

/** What the node may take beyond what it needs at rest, whatever it is sent by one client at a time. */
const MOST_MEMORY = 500 * MEBIBYTE

let root = ""
let node: RunningNode
let atRest = 0

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** The most memory that the process ever had, in bytes; not known everywhere. */
const peak = (): number => {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${node.pid}/status`, "utf8"))?.[1]) * 1024
  } catch {
    return 0
  }
}

const socketTo = (): Socket => connect(node.port, "127.0.0.1").on("error", () => {}).resume()

/** Sends these bytes and answers what comes back until the connection ends. */
const exchange = (...parts: ReadonlyArray<string | Uint8Array>): Promise<string> =>
  new Promise((resolve) => {
    const socket = socketTo()
    let answer = ""
    socket.on("data", (chunk: Buffer) => void (answer += chunk.toString("latin1")))
    socket.on("close", () => resolve(answer))
    for (const part of parts) socket.write(part)
  })

const post = (body: string | Uint8Array): Promise<string> =>
  exchange(
    `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    body
  )

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4)

const isWell = async (): Promise<void> => {
  assert.strictEqual(await node.client.call("getblockcount"), 101)
}

const callWith = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"getblockcount"}`

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lockstep-abuse-"))
  const config = join(root, "node.toml")
  const text = configWith(TOKEN, `[rpc]`, `request_timeout_secs = 2`)
  writeFileSync(config, text, { mode: 0o600 })
  node = await startNode(join(root, "data"), { args: ["--config", config], token: TOKEN })
  await node.client.call("generatetoaddress", 101, OPEN_ADDRESS)
  atRest = peak()
})

afterAll(async () => {
  node.signal("SIGKILL")
  node.client.close()
  await node.ended
  rmSync(root, { recursive: true, force: true })
})

describe("callers of a running node who mean no good", () => {
  it("send what is no JSON, or far too deep", async () => {
    const bodies = [
      "[".repeat(100_000),
      `{"a":`.repeat(100_000),
      `{"id":1,"method":"getblockcount","params":${"[".repeat(600)}${"]".repeat(600)}}`,
      Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d),
      Buffer.from(`{"id":1,"method":"\xc3\x28"}`, "latin1"),
      callWith(`"\\ud800"`),
      `${callWith("1")}x`,
      "\u0000",
      ""
    ]
    for (const body of bodies) {
      const answer = await post(body)
      assert.strictEqual(statusOf(answer), 500)
      assert.strictEqual(bodyOf(answer), `{"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null}\n`)
    }
    await isWell()
  })

  it("have ids of any kind, and get them back as they were", async () => {
    const ids = [
      "null",
      "true",
      "1.5",
      "-0",
      "1e400",
      "123456789012345678901234567890",
      `""`,
      `"${"x".repeat(1_000_000)}"`,
      "{}",
      `{"a":[1,{}]}`,
      "[1,[2]]",
      `${"[".repeat(500)}${"]".repeat(500)}`
    ]
    for (const id of ids) {
      assert.strictEqual(bodyOf(await post(callWith(id))), `{"jsonrpc":"2.0","result":101,"id":${id}}\n`)
    }
  })

  it("send very many values, texts and calls: memory stays within bounds", async () => {
    const long = 30 * MEBIBYTE
    const bodies: ReadonlyArray<readonly [code: number | undefined, body: string]> = [
      [-32700, " ".repeat(long)],
      [-32700, `{"id":1,"method":"getblockcount","params":[${"1,".repeat(long / 2)}1]}`],
      [-32700, `[${"{},".repeat(long / 3)}{}]`],
      [-32700, `[${`${callWith("1")},`.repeat(500_000)}${callWith("1")}]`],
      [-1, `{"id":1,"method":"getblockcount","params":["${"a".repeat(long)}"]}`],
      [undefined, `[${`${callWith("1")},`.repeat(9_999)}${callWith("1")}]`]
    ]
    for (const [code, body] of bodies) {
      const answer = JSON.parse(bodyOf(await post(body))) as
        | { error?: { code: number } }
        | ReadonlyArray<{ result: number }>
      if (Array.isArray(answer)) assert.deepStrictEqual([answer.length, answer.at(-1).result], [10_000, 101])
      else assert.strictEqual((answer as { error: { code: number } }).error.code, code)
    }
    const tooLong = await node.client.post(" ".repeat(33 * MEBIBYTE))
    assert.strictEqual(tooLong.status, 413)
    await isWell()
    assert.isBelow(peak() - atRest, MOST_MEMORY)
  })

  it("come all at once: each has its answer, or is asked to come back", async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(`{"id":1,"method":"getblockchaininfo"}`)))
    assert.sameMembers([...new Set([200, 503, ...answers.map(statusOf)])], [200, 503])
    assert.isAbove(answers.filter((answer) => statusOf(answer) === 200).length, 60)
    await isWell()
  })

  it("leave in the middle of a body, or before their answer", async () => {
    const tip = await node.client.call("getbestblockhash") as string
    const batch = `[${`{"id":1,"method":"getblock","params":["${tip}",2]},`.repeat(500)}${callWith("1")}]`
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${batch.length}\r\n\r\n`
    await Promise.all(Array.from({ length: 40 }, async (_, i) => {
      const socket = socketTo()
      socket.write(head + (i % 2 === 0 ? batch.slice(0, 1_000) : batch))
      await pause(10 + i)
      if (i % 4 < 2) socket.destroy()
      else socket.resetAndDestroy()
    }))
    await isWell()
  })

  it("send nothing, or a byte at a time: others are served, and they are sent away", async () => {
    const started = performance.now()
    const starts = ["", "P", "POST / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{"]
    const open = new Set<Socket>()
    const talking = starts.flatMap((start) =>
      Array.from({ length: 15 }, () => {
        const socket = socketTo()
        open.add(socket)
        socket.on("close", () => void open.delete(socket))
        if (start !== "") socket.write(start)
        return start === "" ? [] : [socket]
      }).flat()
    )
    await pause(100)
    assert.strictEqual(open.size, 60)
    await isWell()
    const longest = patience(20_000)
    while (open.size > 0 && performance.now() - started < longest) {
      for (const socket of talking) if (socket.writable) socket.write("a")
      await pause(200)
    }
    assert.strictEqual(open.size, 0)
    await isWell()
  })

  it("have not harmed the node, which stops as ever", async () => {
    await isWell()
    await node.client.call("stop")
    const { exitCode, stderr, stdout } = await node.ended
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
    assert.notInclude(stdout, "failed inside the node")
  })
})
