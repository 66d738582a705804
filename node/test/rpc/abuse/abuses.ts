import { assert } from "@effect/vitest"
import { request } from "node:http"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { type AbusedNode, TIMEOUT_SECONDS } from "./abused-node.ts"
import {
  bodyOf,
  exchange,
  head,
  mostConnections,
  openRaw,
  pause,
  post,
  type RawConnection,
  statusOf,
  until
} from "./raw-connection.ts"
import { patience } from "../../process/patience.ts"

/** One way to treat a node badly. `scale` 1 is as much as the node is made for; tests that have no time do less. */
export interface Abuse {
  readonly what: string
  readonly run: (abused: AbusedNode, scale: number) => Promise<void>
}

const MEBIBYTE = 1024 * 1024
const QUEUE = 64
const MOST_WAITING = 1_024

const call = (id: number | string, method: string, ...params: ReadonlyArray<unknown>): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

const COUNT = call(1, "getblockcount")

/** An honest request, on a connection of its own, is answered at once: it is what all this is about. */
export const servesOthers = async ({ node }: AbusedNode): Promise<void> => {
  const answer = await post(node.port, COUNT)
  assert.strictEqual(statusOf(answer), 200, answer.slice(0, 200))
  assert.isNumber((JSON.parse(bodyOf(answer)) as { result: number }).result)
}

const many = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: Math.max(1, Math.round(count)) }, (_, i) => make(i))

const destroyAll = async (open: ReadonlyArray<RawConnection>): Promise<void> => {
  for (const { socket } of open) socket.destroy()
  await Promise.all(open.map(({ closed }) => closed))
}

const errorOf = (answer: string): { readonly code: number; readonly message: string } =>
  (JSON.parse(bodyOf(answer)) as { error: { code: number; message: string } }).error

/** What no caller should send, and the status and code it is answered with. */
const WRONG: ReadonlyArray<readonly [body: string, status: number, code: number]> = [
  ["{", 500, -32700],
  ["nonsense", 500, -32700],
  [`${"[".repeat(513)}${"]".repeat(513)}`, 500, -32700],
  ["[".repeat(1_000_000), 500, -32700],
  [`{"jsonrpc":"2.0","id":1,"method":"getblockcount","params":[${"[".repeat(600)}${"]".repeat(600)}]}`, 500, -32700],
  ["1", 500, -32700],
  ["null", 500, -32700],
  ["{}", 400, -32600],
  [`{"jsonrpc":"2.0","id":1,"method":7}`, 400, -32600],
  [`{"jsonrpc":"2.0","id":1,"method":"getblockcount","params":"x"}`, 400, -32600],
  [`{"jsonrpc":2,"id":1,"method":"getblockcount"}`, 400, -32600],
  [call(1, "nosuchmethod"), 200, -32601],
  [call(1, "x".repeat(1_000_000)), 200, -32601],
  [call(1, "__proto__"), 200, -32601],
  [call(1, "constructor"), 200, -32601],
  [call(1, "getblockhash", "five"), 200, -3],
  [call(1, "getblockhash", null), 200, -3],
  [call(1, "getblockhash", 1e99), 200, -1],
  [call(1, "getblockhash", -1), 200, -8],
  [call(1, "getblock", "00"), 200, -8],
  [call(1, "getblock", { a: 1 }), 200, -3],
  [call(1, "getblockcount", 1, 2, 3), 200, -1],
  [call(1, "waitforblockheight", 1_000, -1), 200, -1]
]

const wrongRequests: Abuse = {
  what: "requests that are none, wrong types, unknown methods, deep nesting",
  run: async ({ node }) => {
    for (const [body, status, code] of WRONG) {
      const answer = await post(node.port, body)
      assert.deepStrictEqual([statusOf(answer), errorOf(answer).code], [status, code], body.slice(0, 80))
      assert.notInclude(errorOf(answer).message, "    at ")
    }
  }
}

const headerFloods: Abuse = {
  what: "floods of headers",
  run: async (abused, scale) => {
    const { port } = abused.node
    const short = many(300, (i) => `X-${i}: ${i}`)
    assert.strictEqual(statusOf(await post(port, COUNT, ...short)), 200)
    // A little more than is taken: what is read whole can be answered for sure.
    const long = many(600, (i) => `X-Header-${i}: ${i}`)
    assert.strictEqual(statusOf(await exchange(port, head(COUNT.length, ...long), COUNT)), 400)
    const floods = many(100 * scale, () => openRaw(port))
    for (const { isOpen, socket } of floods) {
      socket.write("POST / HTTP/1.1\r\nHost: x\r\n")
      for (let i = 0; i < 1_000 && isOpen(); i++) socket.write(`X-Flood-${i}: ${"a".repeat(100)}\r\n`)
    }
    await Promise.all(floods.map(({ closed }) => closed))
    for (const { text } of floods) if (text() !== "") assert.strictEqual(statusOf(text()), 400)
    await servesOthers(abused)
  }
}

/** Waits until none runs but the one that asks. */
const noCallsLeft = async ({ node }: AbusedNode): Promise<void> => {
  let active = Number.POSITIVE_INFINITY
  for (const end = performance.now() + patience(30_000); performance.now() < end && active > 1;) {
    const answer = await post(node.port, call(1, "getrpcinfo"))
    if (statusOf(answer) === 200) {
      active =
        (JSON.parse(bodyOf(answer)) as { result: { active_commands: ReadonlyArray<unknown> } }).result.active_commands
          .length
    }
    await pause(50)
  }
  assert.strictEqual(active, 1, "calls go on for clients that have gone")
}

const pipelines: Abuse = {
  what: "very many requests on one connection before the first answer",
  run: async (abused, scale) => {
    const count = Math.round(2_000 * scale)
    for (const method of ["getblockcount", "getbestblockhash", "getchaintips"]) {
      const requests = many(count, (i) => {
        const body = call(i, method)
        return head(body.length, ...(i === count - 1 ? ["Connection: close"] : [])) + body
      })
      const answer = await exchange(abused.node.port, requests.join(""))
      const ids = answer.split("HTTP/1.1 ").slice(1).map((part) =>
        part.startsWith("200 ") ? /"id":(\d+)/.exec(part)?.[1] : part
      )
      assert.deepStrictEqual(ids, [...many(count, String)])
    }
    // Behind a call that waits, on many connections: what is more than the node keeps goes with its connection.
    const wait = call(0, "waitfornewblock", 0)
    const rest = head(COUNT.length) + COUNT
    const open = many(200 * scale, () => openRaw(abused.node.port))
    for (const { socket } of open) socket.write(head(wait.length) + wait + rest.repeat(1_000))
    await until("too much is not kept", () => open.some(({ isOpen }) => !isOpen()))
    await servesOthers(abused)
    await destroyAll(open)
    await noCallsLeft(abused)
  }
}

const slowClients: Abuse = {
  what: "clients that send their heads or bodies a byte at a time, more of them than may run",
  run: async (abused, scale) => {
    const started = performance.now()
    const longest = patience(60_000)
    const heads = many(1_000 * scale, () => openRaw(abused.node.port))
    const bodies = many(1_000 * scale, () => openRaw(abused.node.port))
    assert.isAbove(bodies.length, QUEUE)
    for (const { socket } of heads) socket.write("POST / HTTP/1.1\r\nX: ")
    for (const { socket } of bodies) socket.write(`${head(100_000)}{`)
    const all = [...heads, ...bodies]
    await pause(300)
    await servesOthers(abused)
    assert.isAbove(all.filter(({ isOpen }) => isOpen()).length, 0)
    while (all.some(({ isOpen }) => isOpen())) {
      assert.isBelow(performance.now() - started, longest, "slow clients are not sent away")
      for (const { isOpen, socket } of all) if (isOpen()) socket.write("a")
      await pause(TIMEOUT_SECONDS * 100)
    }
    for (const { text } of all) assert.strictEqual(text(), "")
    await servesOthers(abused)
  }
}

const largeBodies: Abuse = {
  what: "bodies that are too large, or of which there are too many at once",
  run: async (abused) => {
    const { port } = abused.node
    assert.strictEqual(statusOf(await exchange(port, head(4_000_000_000))), 413)
    const chunk = Buffer.alloc(MEBIBYTE, " ")
    const endless = openRaw(port)
    endless.socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for (let i = 0; i < 64 && endless.text() === ""; i++) {
      await new Promise((resolve) =>
        endless.socket.write(`${chunk.length.toString(16)}\r\n${chunk.toString()}\r\n`, resolve)
      )
    }
    await until("an endless body is refused", () => statusOf(endless.text()) === 413)
    // None of them comes to its end; together they are several times what the node may hold.
    const size = 31 * MEBIBYTE
    const open = many(40, () => openRaw(port))
    await Promise.all(open.map(async ({ isOpen, socket, text }) => {
      socket.write(head(size))
      for (let i = 0; i < 30 && isOpen() && text() === ""; i++) {
        await Promise.race([new Promise((resolve) => socket.write(chunk, resolve)), pause(5_000)])
      }
    }))
    await servesOthers(abused)
    for (const { text } of open) if (text() !== "") assert.strictEqual(statusOf(text()), 503)
    await destroyAll([...open, endless])
  }
}

const idleConnections: Abuse = {
  what: "very many connections on which nothing happens",
  run: async (abused, scale) => {
    const count = Math.min(Math.round(10_000 * scale), mostConnections())
    const before = abused.handles()
    const open: Array<RawConnection> = []
    while (open.length < count) {
      const some = many(Math.min(500, count - open.length), () => openRaw(abused.node.port))
      open.push(...some)
      await until(
        "connections are taken or refused",
        () => some.every(({ isOpen, socket }) => !socket.connecting || !isOpen())
      )
    }
    await servesOthers(abused)
    // Sockets that the node has, above what it had: no more than its limit and those that are just ending.
    if (before > 0) assert.isBelow(abused.handles() - before, 4_096 + 1_024 + 50)
    await servesOthers(abused)
    await destroyAll(open)
  }
}

const bearer = (token: string): string => `Authorization: Bearer ${token}`

const basic = (pair: string): string => `Authorization: Basic ${Buffer.from(pair).toString("base64")}`

const guesses: Abuse = {
  what: "guesses at credentials, very many at once",
  run: async (abused, scale) => {
    const { cookie, node } = abused
    const started = performance.now()
    const guessed = Promise.all(
      many(
        500 * scale,
        (i) => post(node.port, call(1, "stop"), i % 2 === 0 ? bearer(`guess-${i}`) : basic(`__cookie__:${i}`))
      )
    )
    const tool = await post(node.port, call(1, "getrpcinfo"), basic(cookie))
    assert.strictEqual(statusOf(tool), 200, "a tool on this machine is locked out")
    for (const answer of await guessed) assert.strictEqual(statusOf(answer), 401)
    assert.isAtLeast(performance.now() - started, 250)
    assert.strictEqual(statusOf(await post(node.port, call(1, "getrpcinfo"), basic(cookie))), 200)
    assert.strictEqual(statusOf(await post(node.port, call(1, "stop"))), 403)
  }
}

const batches: Abuse = {
  what: "huge batches, many at once",
  run: async (abused, scale) => {
    const calls = `[${many(5_000, (i) => call(i, i % 50 === 0 ? "getbestblockhash" : "getblockcount")).join(",")}]`
    const answers = Promise.all(many(40 * scale, () => post(abused.node.port, calls)))
    await servesOthers(abused)
    for (const answer of await answers) {
      assert.strictEqual(statusOf(answer), 200)
      const replies = JSON.parse(bodyOf(answer)) as ReadonlyArray<{ id: number }>
      assert.deepStrictEqual([replies.length, replies.at(-1)?.id], [5_000, 4_999])
    }
  }
}

const leavers: Abuse = {
  what: "clients that ask for much and leave",
  run: async (abused, scale) => {
    const tip = await abused.node.client.call("getbestblockhash") as string
    const bodies = [
      call(1, "getblock", tip, 3),
      call(1, "gettxoutsetinfo"),
      call(1, "verifychain", 4, 0),
      call(1, "waitfornewblock")
    ]
    for (let round = 0; round < 4; round++) {
      const open = many(200 * scale, (i) => {
        const connection = openRaw(abused.node.port)
        const body = bodies[i % bodies.length]!
        connection.socket.write(head(body.length) + body)
        return connection
      })
      await pause(50)
      for (const [i, { socket }] of open.entries()) {
        if (i % 2 === 0) socket.destroy()
        else socket.resetAndDestroy()
      }
      await Promise.all(open.map(({ closed }) => closed))
    }
    await noCallsLeft(abused)
  }
}

const waiters: Abuse = {
  what: "calls that wait for a block, more of them than may wait",
  run: async (abused) => {
    const { node } = abused
    const wait = call(1, "waitfornewblock", 0)
    const open = many(MOST_WAITING + 50, () => openRaw(node.port))
    for (const { socket } of open) socket.write(head(wait.length) + wait)
    await until("those that are too many are refused", () => open.filter(({ text }) => text() !== "").length >= 50)
    for (const { text } of open) if (text() !== "") assert.strictEqual(errorOf(text()).code, -1)
    await servesOthers(abused)
    // One that would hold much memory meanwhile does not wait.
    const long = await post(
      node.port,
      JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(100_000), method: "waitfornewblock", params: [0] })
    )
    assert.strictEqual(errorOf(long).code, -1)
    const [tip] = await node.client.call("generatetoaddress", 1, OPEN_ADDRESS) as ReadonlyArray<string>
    await until("every call has its answer", () => open.every(({ text }) => text() !== ""))
    const observed = open.filter(({ text }) => text().includes(`"hash":"${tip}"`))
    assert.strictEqual(observed.length, MOST_WAITING)
    await servesOthers(abused)
    await destroyAll(open)
  }
}

const healthWhileAbused: Abuse = {
  what: "a crowd at the health paths",
  run: async (abused, scale) => {
    const get = (path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        request({ port: abused.node.port, host: "127.0.0.1", path, agent: false }, (response) => {
          response.resume()
          response.on("end", () => resolve(response.statusCode ?? 0))
        }).on("error", reject).end()
      })
    const paths = ["/health/live", "/health", "/health/ready", "/health/detailed"]
    const statuses = await Promise.all(many(400 * scale, (i) => get(paths[i % paths.length]!)))
    // It is alive whatever it is asked; that it has had too much to do may show in the others.
    for (const [i, status] of statuses.entries()) assert.include(i % paths.length === 0 ? [200] : [200, 503], status)
  }
}

export const ABUSES: ReadonlyArray<Abuse> = [
  wrongRequests,
  headerFloods,
  pipelines,
  slowClients,
  largeBodies,
  idleConnections,
  guesses,
  batches,
  leavers,
  waiters,
  healthWhileAbused
]
