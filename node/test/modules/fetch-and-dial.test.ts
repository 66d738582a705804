import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createTcp, type Socket } from "node:net"
import { requestFailed } from "../../src/modules/api/api-call.ts"
import { dial } from "../../src/modules/network/dial.ts"
import { fetchFile } from "../../src/modules/registry/fetch-file.ts"

/** A server of HTTP on this machine, and the URL of it. */
const serving = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(answer)
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/file`)))

const fetched = (url: URL, mostBytes: number, limitMs = 20_000) =>
  fetchFile(url, { mostBytes, limitMs: limitMs as never })

describe("a file that is fetched", () => {
  it.live("has as many bytes as it may, and not one more", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* serving((_, response) => {
        response.write("abc")
        response.end("def")
      })
      assert.strictEqual(Buffer.from(yield* fetched(url, 6)).toString(), "abcdef")
      assert.strictEqual(yield* Effect.flip(fetched(url, 5)), `${url.href} cannot be fetched: it has more than 5 bytes`)
    })))

  it.live("is none where the server says so, hangs up, or is not there", () =>
    Effect.scoped(Effect.gen(function*() {
      const missing = yield* serving((_, response) => void response.writeHead(404).end("not here"))
      assert.include(yield* Effect.flip(fetched(missing, 100)), "the server answered 404")
      const broken = yield* serving((_, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("abc", () => response.destroy())
      })
      assert.include(yield* Effect.flip(fetched(broken, 100)), "cannot be fetched: ")
      const gone = yield* Effect.scoped(serving(() => undefined))
      assert.include(yield* Effect.flip(fetched(gone, 100)), "ECONNREFUSED")
    })))

  it.live("comes in time, or its connection is closed", () =>
    Effect.scoped(Effect.gen(function*() {
      const closed: Array<number> = []
      const url = yield* serving((request) => void request.socket.once("close", () => void closed.push(1)))
      assert.include(yield* Effect.flip(fetched(url, 100, 50)), "cannot be fetched")
      const interrupted = yield* Effect.forkScoped(fetched(url, 100))
      yield* Effect.sleep(50)
      yield* Fiber.interrupt(interrupted)
      while (closed.length < 2) yield* Effect.sleep(5)
    })))
})

/** A port on this machine that takes connections. */
const listening = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets: Array<Socket> = []
    const server = createTcp((socket) => {
      socket.on("error", () => undefined)
      sockets.push(socket)
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, sockets, port: (server.address() as AddressInfo).port }
  }),
  ({ server, sockets }) =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
)

const anyAddress = () => undefined

describe("a connection that the node makes for a module", () => {
  it.live("leads to an address, or to a name that has one", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port, sockets } = yield* listening
      for (const host of ["127.0.0.1", "localhost"]) {
        // A name may have an address of IPv6 as well, at which nothing listens.
        const socket = yield* dial({ host, port }, anyAddress)
        assert.strictEqual(socket.remotePort, port)
        socket.destroy()
      }
      while (sockets.length < 2) yield* Effect.sleep(5)
    })))

  it.live("is none where the address may not be used, whatever listens there", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port, sockets } = yield* listening
      const fault = requestFailed("this machine is not for modules")
      for (const host of ["127.0.0.1", "localhost"]) {
        assert.deepStrictEqual(yield* Effect.flip(dial({ host, port }, () => fault)), fault)
      }
      yield* Effect.sleep(20)
      assert.deepStrictEqual(sockets, [])
    })))

  it.live("is none where nothing listens, with the system's reason", () =>
    Effect.gen(function*() {
      const { port } = yield* Effect.scoped(listening)
      const { text } = yield* Effect.flip(dial({ host: "127.0.0.1", port }, anyAddress))
      assert.include(text, "ECONNREFUSED")
    }))
})
