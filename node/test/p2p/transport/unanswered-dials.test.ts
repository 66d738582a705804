import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect, type Socket } from "node:net"
import { Worker } from "node:worker_threads"
import { socks5Transport } from "../../../src/p2p/transport/socks5/socks5-transport.ts"
import { DIAL_TIMEOUT_MS, tcpTransport, tcpTransportWithin } from "../../../src/p2p/transport/tcp/tcp-transport.ts"
import { recorder } from "./recorder.ts"
import { endpoint } from "./transport-suite.ts"

const LISTENER = `
const { createServer } = require("node:net")
const { parentPort, workerData } = require("node:worker_threads")
const server = createServer()
server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  Atomics.wait(new Int32Array(workerData), 0, 0)
})`

/** A port of this machine whose queue is full, as its program accepts nothing: the system answers no more. */
const unanswered = Effect.acquireRelease(
  Effect.promise(async () => {
    const worker = new Worker(LISTENER, { eval: true, workerData: new SharedArrayBuffer(4) })
    const port = await new Promise<number>((resolve) => worker.once("message", resolve))
    const fillers: Array<Socket> = []
    for (let isFull = false; !isFull;) {
      const socket = connect({ host: "127.0.0.1", port })
      socket.on("error", () => undefined)
      fillers.push(socket)
      isFull = await new Promise<boolean>((resolve) => {
        socket.once("connect", () => resolve(false))
        setTimeout(() => resolve(true), 50)
      })
    }
    return { at: endpoint(`127.0.0.1:${port}`), fillers, worker }
  }),
  ({ fillers, worker }) =>
    Effect.promise(async () => {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    })
)

describe("a dial without an answer", () => {
  it.live("is given up in time, and says whether the proxy is to blame", () =>
    Effect.gen(function*() {
      assert.strictEqual(DIAL_TIMEOUT_MS, 5_000)
      const { at } = yield* unanswered
      const { accept, sides } = recorder()
      const direct = yield* Effect.flip(tcpTransportWithin(60).dial(at, accept))
      assert.deepStrictEqual([direct.isProxy, direct.message, direct.fault?._tag], [
        false,
        "no answer within 0.06 s",
        "NoAnswer"
      ])
      const proxied = socks5Transport({ proxy: at, isolation: undefined, connectTimeout: 60 })
      const { isProxy, message } = yield* Effect.flip(proxied.dial(endpoint("20.0.0.1:8333"), accept))
      assert.deepStrictEqual([isProxy, message], [true, `the proxy 127.0.0.1:${at.port} does not answer`])
      assert.lengthOf(sides, 0)
    }))

  it.live("is refused at once where only a proxy could reach it", () =>
    Effect.gen(function*() {
      const onion = endpoint("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333")
      const { isProxy, message } = yield* Effect.flip(tcpTransport.dial(onion, recorder().accept))
      assert.deepStrictEqual([isProxy, message.endsWith(":8333 can only be reached through a proxy")], [false, true])
      const listening = socks5Transport({ proxy: onion, isolation: undefined }).listen(onion, recorder().accept)
      const refused = yield* Effect.flip(listening)
      assert.strictEqual(refused.message, "a node cannot listen through a proxy")
    }))
})
