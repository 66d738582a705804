import { assert, describe, it } from "@effect/vitest"
import { moduleEvent, type ModuleMessage } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { type ConnectionEnd, moduleConnection, protocolEnd } from "../../src/modules/ipc/connection.ts"
import { connected, useSockets } from "./test-module.ts"

useSockets()

const EVENT: ModuleMessage = moduleEvent({ _tag: "PeerUnbanned", peer_addr: "a" } as never)

/** The end that an effect meets at once; none: it waits, or it succeeds. */
const endAtOnce = Effect.fnUntraced(function*(work: Effect.Effect<unknown, ConnectionEnd>) {
  const fiber = yield* Effect.forkScoped(work, { startImmediately: true })
  for (let i = 0; i < 10; i++) yield* Effect.yieldNow
  const exit = fiber.pollUnsafe()
  if (exit === undefined) return "waits"
  const end = Exit.isFailure(exit) ? yield* Effect.flip(exit) : undefined
  return end === undefined ? "succeeds" : `${end.reason}, ${end.isProtocol}`
})

const GONE = "the module ended the connection, false"

describe("the connection to a module", () => {
  it.live("that the node has ended neither receives nor sends", () =>
    Effect.scoped(Effect.gen(function*() {
      const { server } = yield* connected
      const connection = moduleConnection(server)
      yield* connection.destroy
      assert.strictEqual(yield* endAtOnce(connection.receive), GONE)
      assert.strictEqual(yield* endAtOnce(connection.send(EVENT)), GONE)
      assert.strictEqual(yield* endAtOnce(connection.sendNow(EVENT)!), GONE)
      assert.strictEqual(yield* endAtOnce(connection.sendLast(EVENT)), GONE)
      assert.isFalse(connection.post(Uint8Array.of(1)))
      connection.flush()
    })))

  it.live("that broke says why", () =>
    Effect.scoped(Effect.gen(function*() {
      const { server } = yield* connected
      const connection = moduleConnection(server)
      const waiting = yield* Effect.forkScoped(Effect.flip(connection.receive), { startImmediately: true })
      server.destroy(new Error("reset"))
      const { reason } = yield* Fiber.join(waiting)
      assert.strictEqual(reason, "reset")
      assert.strictEqual(yield* endAtOnce(connection.receive), "reset, false")
      assert.strictEqual(yield* endAtOnce(connection.send(EVENT)), "reset, false")
    })))

  it.live("that the module ends hands on what came before, and leaves nothing that listens", () =>
    Effect.scoped(Effect.gen(function*() {
      const { module, server } = yield* connected
      const connection = moduleConnection(server)
      const before = ["readable", "end", "close"].map((event) => server.listenerCount(event))
      module.ask({ _tag: "GetBlockHeight" })
      module.socket.end()
      assert.strictEqual((yield* connection.receive)._tag, "Request")
      assert.strictEqual((yield* Effect.flip(connection.receive)).reason, "the module ended the connection")
      // The end is handed on before its listeners are removed.
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(["readable", "end", "close"].map((event) => server.listenerCount(event)), before)
    })))

  it.live("that is no longer waited for leaves nothing that listens", () =>
    Effect.scoped(Effect.gen(function*() {
      const { server } = yield* connected
      const connection = moduleConnection(server)
      const before = ["readable", "end", "close"].map((event) => server.listenerCount(event))
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(Effect.timeoutOption(connection.receive, 1))))
      assert.deepStrictEqual(["readable", "end", "close"].map((event) => server.listenerCount(event)), before)
    })))

  it.live("takes frames of others below 64 KiB until so much waits, and sends them with the next message", () =>
    Effect.scoped(Effect.gen(function*() {
      const { module, server } = yield* connected
      const connection = moduleConnection(server)
      assert.isFalse(connection.post(new Uint8Array(65_536)))
      const written: Array<number> = []
      const write = server.write.bind(server)
      server.write = ((data: Uint8Array, ...rest: ReadonlyArray<never>) => {
        written.push(data.length)
        return write(data, ...rest)
      }) as never
      module.socket.removeAllListeners("data")
      module.socket.resume()
      assert.isTrue(connection.post(new Uint8Array(1_000)))
      assert.isTrue(connection.post(new Uint8Array(64_534)))
      assert.isTrue(connection.post(new Uint8Array(2)))
      assert.isFalse(connection.post(new Uint8Array(1)))
      assert.deepStrictEqual(written, [])
      connection.flush()
      assert.deepStrictEqual(written, [65_536])
      connection.flush()
      assert.deepStrictEqual(written, [65_536])
    })))

  it.live("takes no frame while a long message waits for the system, which is one of others before it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { server } = yield* connected
      const connection = moduleConnection(server)
      const taken: Array<() => void> = []
      server.write = ((_: Uint8Array, done?: () => void) => done !== undefined && taken.push(done) > 0) as never
      const long = moduleEvent({ _tag: "PeerUnbanned", peer_addr: "a".repeat(100_000) } as never)
      const sending = yield* Effect.forkScoped(connection.send(long), { startImmediately: true })
      yield* Effect.yieldNow
      assert.lengthOf(taken, 1)
      assert.isFalse(connection.post(Uint8Array.of(1)))
      taken[0]!()
      yield* Fiber.join(sending)
      assert.isTrue(connection.post(Uint8Array.of(1)))
    })))

  it("says of its end whether the module broke the protocol", () => {
    const { isProtocol, reason } = protocolEnd("two handshakes")
    assert.deepStrictEqual([isProtocol, reason], [true, "two handshakes"])
  })
})
