import { assert, describe, it } from "@effect/vitest"
import {
  type ModuleEventPayload,
  type ModuleMessageOf,
  PERMISSIONS,
  type RequestPayload
} from "@lockstep/protocol/module-ipc/index.ts"
import { networkPlaceOf } from "@lockstep/protocol/module-manifest/index.ts"
import { startModule } from "@lockstep/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { dirname } from "node:path"
import { EventBus } from "../../src/events/event-bus.ts"
import { type ConnectionEnd, moduleConnection } from "../../src/modules/ipc/connection.ts"
import { openModuleSession } from "../../src/modules/ipc/session.ts"
import { MOST_GRANTED } from "../../src/modules/network/module-connections.ts"
import { MAX_LISTENERS } from "../../src/modules/network/module-network.ts"
import type { NetworkRules } from "../../src/modules/network/network-rules.ts"
import { socketPath, useSockets } from "./test-module.ts"
import { apisOf, connectedModule } from "./test-node-side.ts"

useSockets()

const place = (text: string) => networkPlaceOf(text)!
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const within = <A>(test: Effect.Effect<A, ConnectionEnd, EventBus | Scope.Scope>): Effect.Effect<A, ConnectionEnd> =>
  Effect.scoped(test).pipe(Effect.provide(EventBus.layer))

/** A module whose answers and events are told apart. */
const networked = Effect.fnUntraced(function*(network: Partial<NetworkRules> = {}) {
  const connected = yield* connectedModule(yield* apisOf(), { network })
  const { module } = connected
  const events: Array<ModuleEventPayload> = []
  const answers: Array<ModuleMessageOf<"Response">> = []
  const one = Effect.gen(function*() {
    const message = yield* module.next
    if (message._tag === "Event") events.push(message.payload)
    if (message._tag === "Response") answers.push(message)
  })
  const asked = Effect.fnUntraced(function*(request: RequestPayload) {
    module.ask(request)
    while (answers.length === 0) yield* one
    const { error, payload } = answers.shift()!
    return payload ?? error!
  })
  const event = Effect.gen(function*() {
    while (events.length === 0) yield* one
    return events.shift()!
  })
  const listening = Effect.gen(function*() {
    const answer = yield* asked({ _tag: "ListenNetwork", address: "127.0.0.1:0" })
    assert(typeof answer === "object" && answer._tag === "NetworkListening")
    return Number(answer.address.split(":")[1])
  })
  return { ...connected, asked, event, listening }
})

const client = (port: number): Effect.Effect<Socket> =>
  Effect.promise(async () => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    await once(socket, "connect")
    return socket
  })

const said = (socket: Socket): Effect.Effect<string> =>
  Effect.promise(async () => String((await once(socket, "data"))[0]))

describe("the network of a module", () => {
  it.live("is sockets of the node, which reads of a connection only what the module grants", () =>
    within(Effect.gen(function*() {
      const { asked, event, listening } = yield* networked()
      const peer = yield* client(yield* listening)
      peer.write("hello")
      const accepted = yield* event
      assert.strictEqual(accepted._tag, "NetworkAccepted")
      assert.deepStrictEqual(yield* asked({ _tag: "GrantNetwork", connection_id: 1, bytes: 5 }), {
        _tag: "NetworkGranted"
      })
      const received = yield* event
      assert(received._tag === "NetworkReceived")
      assert.strictEqual(Buffer.from(received.data).toString(), "hello")
      peer.write("x".repeat(100_000))
      assert.deepStrictEqual(yield* asked({ _tag: "SendNetwork", connection_id: 1, data: bytes("hi") }), {
        _tag: "NetworkSent",
        is_full: false
      })
      assert.strictEqual(yield* said(peer), "hi")
      yield* asked({ _tag: "GrantNetwork", connection_id: 1, bytes: 1 })
      const more = yield* event
      assert(more._tag === "NetworkReceived")
      assert.isAtMost(more.data.length, 65_536, "one read of the socket and no more")
      assert.include(
        yield* asked({ _tag: "GrantNetwork", connection_id: 1, bytes: MOST_GRANTED + 70_000 }),
        "ResourceExhausted: a connection has up to"
      )
      yield* asked({ _tag: "CloseNetwork", connection_id: 1, now: true })
      peer.resume()
      yield* Effect.promise(() => once(peer, "close"))
    })))

  it.live("has 256 connections at most, and one that is over makes room", () =>
    within(Effect.gen(function*() {
      const { asked, event, listening } = yield* networked()
      const port = yield* listening
      const peers: Array<Socket> = []
      for (let i = 0; i < 256; i++) {
        peers.push(yield* client(port))
        assert.strictEqual((yield* event)._tag, "NetworkAccepted")
      }
      const refused = yield* client(port)
      refused.resume()
      // That it is announced to no module shows below: the next event is of another connection.
      yield* Effect.promise(async () => refused.closed || await once(refused, "close"))
      const connecting = { _tag: "ConnectNetwork", address: `127.0.0.1:${port}` } as const
      const tooMany = "ResourceExhausted: the module has too many connections: close one first"
      assert.strictEqual(yield* asked(connecting), tooMany)
      yield* asked({ _tag: "CloseNetwork", connection_id: 7, now: true })
      assert.deepStrictEqual(yield* event, { _tag: "NetworkClosed", connection_id: 7, error: undefined })
      peers.push(yield* client(port))
      assert.strictEqual((yield* event)._tag, "NetworkAccepted")
      for (const peer of peers) peer.destroy()
    })))

  it.live("is limited to the places that are named, and a place for all hosts does not mean this machine", () =>
    within(Effect.gen(function*() {
      const { asked } = yield* networked({ listen: [place("127.0.0.1:1-9")], connect: [place("*:80-90")] })
      const refusal = Effect.fnUntraced(function*(tag: "ListenNetwork" | "ConnectNetwork", address: string) {
        return String(yield* asked({ _tag: tag, address }))
      })
      assert.include(yield* refusal("ListenNetwork", "127.0.0.1:0"), "PermissionDenied: network_listen does not name")
      assert.include(yield* refusal("ListenNetwork", "0.0.0.0:5"), "PermissionDenied")
      assert.include(yield* refusal("ListenNetwork", "here"), "is no address: write host:port")
      assert.include(yield* refusal("ConnectNetwork", "192.0.2.1:79"), "network_connect does not name 192.0.2.1:79")
      for (const address of ["127.0.0.1:80", "localhost:80", "[::1]:80", "0.0.0.0:80"]) {
        assert.include(yield* refusal("ConnectNetwork", address), "is this machine, which network_connect must name")
      }
      assert.include(yield* refusal("ConnectNetwork", "no-such-host.invalid:80"), "has no address")
    })))

  it.live("reaches nothing beyond the local network where the operator has a proxy", () =>
    within(Effect.gen(function*() {
      const { asked } = yield* networked({ connect: [place("*:80")], isBehindProxy: true })
      const refused = (address: string) => asked({ _tag: "ConnectNetwork", address })
      assert.include(yield* refused("192.0.2.1:80"), "the node has a proxy, which connections of modules do not use")
      assert.include(yield* refused("example.org:80"), "looks up no names")
    })))

  it.live("has bounds, and refuses what is not there", () =>
    within(Effect.gen(function*() {
      const { asked, listening } = yield* networked()
      for (let i = 0; i < MAX_LISTENERS; i++) yield* listening
      assert.include(
        yield* asked({ _tag: "ListenNetwork", address: "127.0.0.1:0" }),
        "ResourceExhausted: a module has up to 8 listeners"
      )
      assert.deepStrictEqual(yield* asked({ _tag: "CloseNetworkListener", listener_id: 1 }), {
        _tag: "NetworkClosing"
      })
      yield* listening
      for (
        const request of [
          { _tag: "SendNetwork", connection_id: 9, data: bytes("x") },
          { _tag: "GrantNetwork", connection_id: 9, bytes: 1 },
          { _tag: "CloseNetwork", connection_id: 9, now: false },
          { _tag: "CloseNetworkListener", listener_id: 1 }
        ] as const
      ) assert.match(String(yield* asked(request)), /there is no (connection 9|listener 1)/)
    })))

  it.live("refuses data that the other side does not read, and says when there is room", () =>
    within(Effect.gen(function*() {
      const { asked, event, listening } = yield* networked()
      const peer = yield* client(yield* listening)
      peer.pause()
      yield* event
      const data = new Uint8Array(1024 * 1024)
      let answer: unknown
      for (let sent = 0; sent < 64 && typeof answer !== "string"; sent++) {
        answer = yield* asked({ _tag: "SendNetwork", connection_id: 1, data })
      }
      assert.include(String(answer), "ResourceExhausted: the connection 1 is full: wait for NetworkDrained")
      peer.resume()
      assert.deepStrictEqual(yield* event, { _tag: "NetworkDrained", connection_id: 1 })
    })))

  it.live("ends with the module", () =>
    within(Effect.gen(function*() {
      let peer: Socket | undefined
      yield* Effect.scoped(Effect.gen(function*() {
        const { event, listening } = yield* networked()
        peer = yield* client(yield* listening)
        yield* event
      }))
      peer!.resume()
      if (!peer!.closed) yield* Effect.promise(() => once(peer!, "close"))
    })))
})

/** A module of the SDK that is served by the node's API. */
const sdkModule = Effect.gen(function*() {
  const { apis, bus, directory } = yield* apisOf()
  const path = socketPath()
  mkdirSync(dirname(path), { recursive: true })
  const accepted = yield* Deferred.make<Socket>()
  const server = createServer((socket) => void Deferred.doneUnsafe(accepted, Effect.succeed(socket)))
  server.listen(path)
  yield* Effect.addFinalizer(() => Effect.sync(() => void server.close()))
  const terms = { name: "echo", version: "0.1.0", moduleId: "id", nodeVersion: "test" }
  const api = yield* apis.open({
    ...terms,
    permissions: new Set(PERMISSIONS),
    rpcOverrides: new Set(),
    networkRules: { listen: [place("127.0.0.1:*")], connect: [place("127.0.0.1:*")], isBehindProxy: false },
    dataDirectory: directory,
    storageDirectory: directory
  }, bus.publish("ModuleLoaded", { module_name: "echo", version: "0.1.0" }))
  const starting = startModule({ version: "0.1.0" }, {
    name: "echo",
    moduleId: "id",
    socketPath: path,
    dataDirectory: directory,
    settings: new Map()
  })
  const session = yield* openModuleSession(moduleConnection(yield* Deferred.await(accepted)), {
    ...terms,
    ...api,
    log: () => Effect.void
  })
  yield* Effect.forkScoped(Effect.ignore(api.serve(session)))
  return yield* Effect.promise(() => starting)
})

const gathered = async (socket: NodeJS.ReadableStream): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

describe("the network of the SDK", () => {
  const LARGE = Buffer.alloc(3 * 1024 * 1024).map((_, i) => (i * 31) >> 3)

  it.live("is streams in both directions, whole and in order", () =>
    within(Effect.gen(function*() {
      const { context: { network } } = yield* sdkModule
      yield* Effect.promise(async () => {
        const { address, close } = await network.listen("127.0.0.1:0", (stream) => void stream.pipe(stream))
        const peer = connect(Number(address.split(":")[1]), "127.0.0.1")
        peer.end(LARGE)
        assert.isTrue((await gathered(peer)).equals(LARGE))
        await close()
      })
    })))

  it.live("ends one direction and then the other", () =>
    within(Effect.gen(function*() {
      const { context: { network } } = yield* sdkModule
      yield* Effect.promise(async () => {
        const server = createServer({ allowHalfOpen: true }, (socket) => {
          void gathered(socket).then((asked) => socket.end(`answer to ${asked}`))
        })
        await once(server.listen(0, "127.0.0.1"), "listening")
        const stream = await network.connect(`127.0.0.1:${(server.address() as AddressInfo).port}`)
        stream.end("question")
        assert.strictEqual(String(await gathered(stream)), "answer to question")
        server.close()
      })
    })))

  it.live("connects, and says why where it cannot", () =>
    within(Effect.gen(function*() {
      const { context: { network } } = yield* sdkModule
      yield* Effect.promise(async () => {
        const server = createServer((socket) => void socket.end(LARGE))
        await once(server.listen(0, "127.0.0.1"), "listening")
        const { port } = server.address() as AddressInfo
        const stream = await network.connect(`127.0.0.1:${port}`)
        assert.strictEqual(stream.remoteAddress, `127.0.0.1:${port}`)
        assert.isTrue((await gathered(stream)).equals(LARGE))
        server.close()
        const refused = await network.connect(`127.0.0.1:${port}`).catch(({ message }: Error) => message)
        assert.include(String(refused), "ECONNREFUSED")
      })
    })))
})
