import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, assert, describe, it, vi } from "vitest"
import { inTurn } from "../../../src/http/in-turn.ts"

const open: Array<() => unknown> = []
afterEach(() => {
  for (const close of open.splice(0).toReversed()) close()
})

/** A server whose requests are answered when the test says so; `mostWaiting`: of all connections. */
const served = async (mostWaiting?: number) => {
  const taken: Array<{ readonly url: string; readonly response: ServerResponse }> = []
  const server = createServer(
    inTurn((request, response) => void taken.push({ url: request.url!, response }), mostWaiting)
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  open.push(() => server.close())
  const client = async () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    socket.on("error", () => undefined)
    await once(socket, "connect")
    open.push(() => socket.destroy())
    let text = ""
    socket.on("data", (chunk: Buffer) => void (text += chunk.toString()))
    return { socket, text: () => text }
  }
  const urls = (): ReadonlyArray<string> => taken.map(({ url }) => url)
  const answer = (url: string): unknown => taken.find((each) => each.url === url)!.response.end(url)
  return { answer, client, taken, urls }
}

/** Asks for several things at once, without waiting for an answer. */
const ask = (socket: Socket, ...urls: ReadonlyArray<string>): unknown =>
  socket.write(urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""))

const soon = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 20_000, interval: 5 })

/** Long enough for what has come to be looked at. */
const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30))

describe("requests of one connection", () => {
  it("are served one after another in their order, those of others beside them", async () => {
    const { answer, client, urls } = await served()
    const [one, other] = [await client(), await client()]
    ask(one.socket, "/a", "/b", "/c")
    await soon(() => assert.deepStrictEqual(urls(), ["/a"]))
    ask(other.socket, "/x")
    await soon(() => assert.deepStrictEqual(urls(), ["/a", "/x"]))
    await moment()
    assert.deepStrictEqual(urls(), ["/a", "/x"])
    answer("/a")
    await soon(() => assert.deepStrictEqual(urls(), ["/a", "/x", "/b"]))
    answer("/b")
    await soon(() => assert.strictEqual(urls().at(-1), "/c"))
    answer("/c")
    await soon(() => assert.match(one.text(), /\/a[^]*\/b[^]*\/c$/))
    ask(one.socket, "/d")
    await soon(() => assert.strictEqual(urls().at(-1), "/d"))
  })

  it("are not served once it is closed", async () => {
    const { answer, client, urls } = await served()
    const { socket } = await client()
    ask(socket, "/a", "/b")
    await soon(() => assert.deepStrictEqual(urls(), ["/a"]))
    socket.destroy()
    await moment()
    answer("/a")
    await moment()
    assert.deepStrictEqual(urls(), ["/a"])
  })
})

describe("requests that wait for their turn", () => {
  it("are at most so many of all connections: one that brings more is closed", async () => {
    const { client } = await served(2)
    const [one, other] = [await client(), await client()]
    ask(one.socket, "/a", "/b")
    ask(other.socket, "/c", "/d")
    await moment()
    assert.isFalse(one.socket.closed || other.socket.closed)
    const third = await client()
    ask(third.socket, "/e", "/f")
    await soon(() => assert.isTrue(third.socket.closed))
    assert.isFalse(one.socket.closed || other.socket.closed)
  })

  it.each([["closed by its client", true], ["answered", false]])(
    "make room again when their connection is %s, however often",
    async (_, isClosed) => {
      const { answer, client, taken, urls } = await served(2)
      for (let round = 0; round < 5; round++) {
        const { socket } = await client()
        const [a, b, c] = ["a", "b", "c"].map((name) => `/${round}${name}`) as [string, string, string]
        ask(socket, a, b, c)
        await soon(() => assert.include(urls(), a))
        await moment()
        assert.isFalse(socket.closed, `round ${round}`)
        if (isClosed) {
          const { response } = taken.at(-1)!
          socket.destroy()
          await soon(() => assert.isTrue(response.destroyed || response.socket === null))
        } else {
          for (const url of [a, b, c]) {
            await soon(() => assert.include(urls(), url))
            answer(url)
          }
          await moment()
        }
      }
    }
  )
})
