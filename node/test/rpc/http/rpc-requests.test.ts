import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, assert, describe, it, vi } from "vitest"
import type { Caller } from "../../../src/http/auth/caller.ts"
import { type HttpAnswer, jsonAnswer } from "../../../src/http/http-answer.ts"
import { type Hold, type HttpRequests, takeRequest } from "../../../src/http/take-request.ts"
import { workQueue } from "../../../src/http/work-queue.ts"

const open: Array<() => unknown> = []
afterEach(() => {
  for (const close of open.splice(0).toReversed()) close()
  vi.useRealTimers()
})

/** Waits until something holds, in real time: `vi.waitFor` would let the time of timers pass. */
const soon = async (holds: () => void): Promise<void> => {
  const end = performance.now() + 20_000
  for (;;) {
    try {
      return holds()
    } catch (error) {
      if (performance.now() > end) throw error
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** Bytes that all requests may hold. */
const ROOM = 256 * 1024 * 1024

type Answer = (bytes: Uint8Array, hold: Hold) => Effect.Effect<HttpAnswer>

/** A server that answers as a test says, one call at a time. */
const served = async (options: { readonly callerOf?: Caller | "refused"; readonly depth?: number } = {}) => {
  const queue = workQueue(options.depth ?? 1)
  const calls = { entered: 0, left: 0 }
  const refusals: Array<string> = []
  const state = { isStopping: false, blocked: 0, wait: 0, failed: [] as Array<string>, callers: 0 }
  let answer: Answer = (bytes) => Effect.succeed(jsonAnswer(200, `${Buffer.from(bytes).toString()}!`))
  const requests: HttpRequests = {
    callerOf: () => {
      state.callers++
      return options.callerOf ?? "admin"
    },
    mayCall: () => true,
    isAllowed: () => true,
    queue,
    limits: {
      connect: () => true,
      blocked: () => state.blocked,
      failed: (address) => void state.failed.push(address),
      admit: () => state.wait,
      charge: () => 0
    },
    figures: {
      entered: () => void calls.entered++,
      left: () => void calls.left++,
      refused: (reason) => void refusals.push(reason)
    },
    maxBytes: 100,
    timeoutMs: 60_000 as never,
    isStopping: () => state.isStopping,
    run: (effect) => {
      const fiber = Effect.runFork(effect)
      return () => void Effect.runFork(Fiber.interrupt(fiber))
    }
  }
  const server = createServer((request, response) =>
    takeRequest(request, response, requests, (bytes, _, hold) => answer(bytes, hold))
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const client = async () => {
    const socket: Socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    open.push(() => socket.destroy())
    await once(socket, "connect")
    let text = ""
    socket.on("data", (chunk: Buffer) => void (text += chunk.toString()))
    return {
      socket,
      text: () => text,
      post: (body: string, more = "") =>
        socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    }
  }
  /** What one request comes to. */
  const post = async (body: string, more = ""): Promise<string> => {
    const { post: send, socket, text } = await client()
    send(body, more)
    await soon(() => assert.include(text(), "\r\n\r\n"))
    const length = Number(/content-length: (\d+)/i.exec(text())?.[1] ?? 0)
    await soon(() => assert.isAtLeast(text().split("\r\n\r\n")[1]!.length, length))
    socket.destroy()
    return text()
  }
  /** Nothing is under way, all memory is given back, and there is a place for the next call. */
  const isIdle = (): Promise<void> =>
    soon(() => {
      let isEmpty = false
      queue.whenEmpty(() => void (isEmpty = true))
      assert.isTrue(isEmpty)
      assert.isTrue(queue.hold(ROOM))
      queue.release(ROOM)
      const place = queue.enter()
      assert.isDefined(place)
      place.leave()
      assert.strictEqual(calls.entered, calls.left)
    })
  return { client, isIdle, post, refusals, state, calls, answers: (next: Answer) => void (answer = next) }
}

const never: Answer = () => Effect.never

describe("a request to RPC", () => {
  it("is answered, at once or later, and holds nothing after that, however often", async () => {
    const { answers, calls, isIdle, post } = await served()
    for (let i = 0; i < 3; i++) assert.match(await post("ping"), /^HTTP\/1\.1 200 [^]*ping!$/)
    answers(() => Effect.delay(Effect.succeed(jsonAnswer(201, "late")), 5))
    for (let i = 0; i < 3; i++) assert.match(await post("ping"), /^HTTP\/1\.1 201 [^]*late$/)
    answers((_, hold) => Effect.sync(() => jsonAnswer(200, hold(ROOM / 2) ? "held" : "refused")))
    for (let i = 0; i < 3; i++) assert.match(await post("ping"), /held$/)
    await isIdle()
    assert.strictEqual(calls.entered, 9)
  })

  it("whose client leaves while it is answered gives its place and its memory back, and interrupts what waits", async () => {
    const { answers, client, isIdle, calls } = await served({ depth: 1 })
    let interrupted = 0
    answers((_, hold) => {
      hold(ROOM / 2)
      return Effect.interruptible(Effect.never).pipe(Effect.onInterrupt(() => Effect.sync(() => void interrupted++)))
    })
    for (let i = 1; i <= 5; i++) {
      const { post, socket } = await client()
      post("ping")
      await soon(() => assert.strictEqual(calls.entered, i))
      socket.destroy()
      await soon(() => assert.strictEqual(interrupted, i))
      await isIdle()
    }
  })

  it("whose client leaves before all of it has come holds nothing", async () => {
    const { client, isIdle, calls } = await served()
    for (let i = 0; i < 3; i++) {
      const { socket } = await client()
      socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nhalf of it")
      await new Promise((resolve) => setTimeout(resolve, 20))
      socket.destroy()
    }
    await isIdle()
    assert.strictEqual(calls.entered, 0)
  })

  it("whose answer breaks ends its connection, and holds nothing", async () => {
    const { answers, client, isIdle } = await served()
    for (const broken of [Effect.die("a defect"), Effect.delay(Effect.die("a defect"), 5)]) {
      answers(() => broken as Effect.Effect<HttpAnswer>)
      const { post, socket } = await client()
      post("ping")
      await soon(() => assert.isTrue(socket.closed))
      await isIdle()
    }
  })

  it("has no place while as many run as may, which counts as overload", async () => {
    const { answers, calls, client, isIdle, post, refusals } = await served({ depth: 2 })
    answers(never)
    const clients = [await client(), await client()]
    for (const each of clients) each.post("ping")
    await soon(() => assert.strictEqual(calls.entered, 2))
    assert.match(await post("ping"), /^HTTP\/1\.1 503 /)
    assert.deepStrictEqual(refusals, ["overload"])
    for (const { socket } of clients) socket.destroy()
    await isIdle()
  })

  it("is refused where it is too large, declared or not, and one of the most bytes is not", async () => {
    const { client, isIdle, post } = await served()
    assert.match(await post("a".repeat(100)), /^HTTP\/1\.1 200 /)
    assert.match(await post("a".repeat(101)), /^HTTP\/1\.1 413 /)
    const { socket, text } = await client()
    socket.write(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + "a".repeat(101) + "\r\n0\r\n\r\n"
    )
    await soon(() => assert.match(text(), /^HTTP\/1\.1 413 /))
    await isIdle()
  })

  it.each(
    [
      ["while the node stops", { isStopping: true }, 503, []],
      ["beyond the rate of its caller", { wait: 3 }, 429, ["rate"]],
      ["after too many wrong credentials", { blocked: 7 }, 429, ["blocked"]]
    ] as const
  )("is refused %s, and makes no call", async (_, how, status, counted) => {
    const { calls, isIdle, post, refusals, state } = await served()
    Object.assign(state, how)
    const answer = await post("ping")
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
    const wait = "wait" in how ? how.wait : "blocked" in how ? how.blocked : undefined
    if (wait !== undefined) assert.match(answer, new RegExp(`retry-after: ${wait}\\r`, "i"))
    assert.deepStrictEqual([calls.entered, refusals], [0, [...counted]])
    if ("blocked" in how) assert.strictEqual(state.callers, 0, "the credentials are not looked at")
    await isIdle()
  })
})

describe("wrong credentials", () => {
  it("are answered late and counted; missing ones at once and not", async () => {
    const { post, refusals, state } = await served({ callerOf: "refused" })
    const before = performance.now()
    assert.match(await post("ping", "Authorization: Basic YTpi\r\n"), /^HTTP\/1\.1 401 /)
    assert.isAtLeast(performance.now() - before, 240)
    assert.deepStrictEqual([state.failed.length, refusals], [1, ["credentials"]])
    assert.match(await post("ping"), /^HTTP\/1\.1 401 /)
    assert.deepStrictEqual([state.failed.length, refusals.length], [1, 1])
  })

  it("leave no timer when their client does not wait for the answer", async () => {
    const { client, state } = await served({ callerOf: "refused" })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { post, socket } = await client()
    post("ping", "Authorization: Basic YTpi\r\n")
    await soon(() => assert.lengthOf(state.failed, 1))
    assert.strictEqual(vi.getTimerCount(), 1)
    socket.destroy()
    await soon(() => assert.strictEqual(vi.getTimerCount(), 0))
  })
})

describe("an answer that its client does not read", () => {
  it("is given up after the time that is allowed, and leaves no timer", async () => {
    const { answers, client, isIdle } = await served()
    // More than the systems at both ends keep.
    const bytes = Buffer.alloc(64 * 1024 * 1024, 0x20)
    answers(() => Effect.succeed({ ...jsonAnswer(200, ""), body: bytes }))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { post, socket } = await client()
    socket.pause()
    post("ping")
    await soon(() => assert.strictEqual(vi.getTimerCount(), 1))
    vi.advanceTimersByTime(59_999)
    await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(vi.getTimerCount(), 1)
    // A second for each 16 KiB that wait; the head of the answer waits as well.
    vi.advanceTimersByTime(64 * 64 * 1_000 + 1_000)
    await isIdle()
    assert.strictEqual(vi.getTimerCount(), 0)
  })

  it("leaves no timer when it is read", async () => {
    const { answers, client } = await served()
    const bytes = Buffer.alloc(16 * 1024 * 1024, 0x20)
    answers(() => Effect.succeed({ ...jsonAnswer(200, ""), body: bytes }))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { post, text } = await client()
    post("ping")
    await soon(() => assert.isAbove(text().length, bytes.length))
    await soon(() => assert.strictEqual(vi.getTimerCount(), 0))
  })
})
