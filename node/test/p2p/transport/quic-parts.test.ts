import { assert, describe, it } from "@effect/vitest"
import { ed25519 } from "@noble/curves/ed25519.js"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { quicIdentity } from "../../../src/net/quic-end.ts"
import {
  bindingPackages,
  loadQuicBinding,
  type NativeConnection,
  type NativeSettings,
  type NativeStream,
  type QuicBinding
} from "../../../src/quic/quic-binding.ts"
import { loadKeySeed } from "../../../src/quic/key-seed-file.ts"
import { loadQuicKey, quicKeyOf } from "../../../src/quic/quic-key.ts"
import { PREAMBLE, readPreamble } from "../../../src/p2p/transport/quic/quic-preamble.ts"
import { quicTransport } from "../../../src/p2p/transport/quic/quic-transport.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { recorder } from "./recorder.ts"
import { endpoint } from "./transport-suite.ts"

const SEED = new Uint8Array(32).fill(7)
const KEY = quicKeyOf(SEED)
const THEIRS = quicKeyOf(new Uint8Array(32).fill(8)).identity

/** Has promises and fibers that can go on do so. */
const settle = Effect.promise(async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
})

const never = <A>(): Promise<A> => new Promise(() => undefined)

/** A stream that has these pieces to read, then waits. */
const streamWith = (...pieces: ReadonlyArray<Uint8Array | null>) => {
  const left = [...pieces]
  const asked: Array<number> = []
  const written: Array<Uint8Array> = []
  const stream: NativeStream = {
    read: (most) => {
      asked.push(most)
      return left.length === 0 ? never() : Promise.resolve(left.shift()!)
    },
    write: async (bytes) => void written.push(bytes),
    finishWrite: async () => undefined,
    resetWrite: async () => undefined,
    stopRead: async () => undefined
  }
  return { asked, stream, written }
}

const connectionWith = (stream: Promise<NativeStream>, place = "/ip4/127.0.0.1/udp/9/quic-v1/p2p/" + THEIRS) => {
  const ends: Array<() => void> = []
  let aborts = 0
  const native: NativeConnection = {
    inboundStream: () => stream,
    outboundStream: () => stream,
    abort: () => void aborts++,
    remoteMultiaddr: () => place,
    closed: () => new Promise((resolve) => void ends.push(resolve)),
    stats: () => ({ frameRxConnectionClose: 1 })
  }
  return { aborts: () => aborts, end: () => ends.forEach((end) => end()), native }
}

/** A binding whose connections a test makes. */
const madeBinding = (dial: (ip: string, port: number) => Promise<NativeConnection> = never) => {
  const settings: Array<NativeSettings> = []
  const clients: Array<{ readonly family: 0 | 1; isOver: boolean }> = []
  const arrivals: Array<(native: NativeConnection) => void> = []
  const failures: Array<(cause: Error) => void> = []
  const servers = { stopped: 0 }
  class Client {
    readonly made: { readonly family: 0 | 1; isOver: boolean }
    constructor(_: unknown, family: 0 | 1) {
      this.made = { family, isOver: false }
      clients.push(this.made)
    }
    outboundConnection = dial
    abort(): void {
      this.made.isOver = true
    }
  }
  class Server {
    constructor(_: unknown, ip: string, at: number) {
      if (at === 1) throw new Error(`cannot bind ${ip}`)
    }
    port = () => 4_444
    inboundConnection = () =>
      new Promise<NativeConnection>((resolve, reject) => {
        arrivals.push(resolve)
        failures.push(reject)
      })
    abort = async () => void servers.stopped++
  }
  const QuinnConfig = function(given: NativeSettings): void {
    settings.push(given)
  }
  const binding = { Client, QuinnConfig, Server } as unknown as QuicBinding
  return { arrivals, binding, clients, failures, servers, settings }
}

const transportOf = (binding: QuicBinding) => quicTransport({ binding, key: KEY, connectTimeout: 5_000 })
const quicAt = (text: string, identity?: string): Endpoint => ({ ...endpoint(text), quic: { identity } })

describe("the binding of QUIC", () => {
  it("is in a package for the platform and the processor", () => {
    const [prefix, x64] = ["@chainsafe/libp2p-quic", "x64"]
    assert.deepStrictEqual(bindingPackages("linux", x64), [`${prefix}-linux-x64-gnu`, `${prefix}-linux-x64-musl`])
    assert.deepStrictEqual(bindingPackages("win32", x64), [`${prefix}-win32-x64-msvc`])
    assert.deepStrictEqual(bindingPackages("darwin", "arm64"), [`${prefix}-darwin-arm64`])
    assert.deepStrictEqual(bindingPackages("freebsd", x64), [`${prefix}-freebsd-x64`])
  })

  it("is the first that can be loaded; where none can, each says why in a line", () => {
    const binding = {}
    const fail = (cause: unknown) => {
      throw cause
    }
    const load = (name: string) => name === "b" ? binding : fail(new Error("not here\nat all"))
    assert.deepStrictEqual(loadQuicBinding(load, ["a", "b"]), { _tag: "Loaded", binding: binding as QuicBinding })
    const either = (name: string) => name === "a" ? load(name) : fail("no error")
    const none = loadQuicBinding(either, ["a", "c"])
    assert.deepStrictEqual(none, { _tag: "Missing", packages: ["a@2.1.1", "c@2.1.1"], reason: "not here; no error" })
  })

  it("is looked for in the packages for this machine", () => {
    const asked: Array<string> = []
    loadQuicBinding((name) => {
      asked.push(name)
      throw new Error("not here")
    })
    assert.deepStrictEqual(asked, bindingPackages(process.platform, process.arch))
  })
})

describe("the key for QUIC", () => {
  it("is written as libp2p does, and gives the identity", () => {
    const publicKey = ed25519.getPublicKey(SEED)
    assert.strictEqual(KEY.identity, quicIdentity(publicKey))
    assert.strictEqual(
      Buffer.from(KEY.encoded).toString("hex"),
      `08011240${Buffer.from(SEED).toString("hex")}${Buffer.from(publicKey).toString("hex")}`
    )
  })

  it.effect("is made once, for the owner alone, and read from then on", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "quic_key")
      assert.deepStrictEqual(yield* loadQuicKey(path, () => SEED), KEY)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.strictEqual(readFileSync(path, "utf8"), `${"07".repeat(32)}\n`)
      assert.deepStrictEqual(yield* loadQuicKey(path, () => new Uint8Array(32)), KEY)
    }))

  it.effect("that a file does not hold is refused, and the file left alone", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "quic_key")
      for (const text of ["", "07".repeat(31), "07".repeat(33), `${"07".repeat(32)}zz`, "zz".repeat(32)]) {
        writeFileSync(path, text)
        const { message } = yield* Effect.flip(loadQuicKey(path, () => SEED))
        assert.include(message, `${path} holds no key for QUIC: restore it, or remove it`)
        assert.strictEqual(readFileSync(path, "utf8"), text)
      }
    }))

  it.effect("whose file cannot be had is refused with the cause", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const kept = `the key for QUIC cannot be kept in ${directory}`
      const error = yield* Effect.flip(loadQuicKey(directory, () => SEED))
      assert.strictEqual(error._tag, "QuicError")
      assert.isTrue(error.message.startsWith(`${kept}: EISDIR`), error.message)
      const missing = yield* Effect.flip(loadQuicKey(join(directory, "no", "key"), () => SEED))
      assert.isTrue(missing.message.startsWith(`${kept}/no/key: ENOENT`), missing.message)
      const unmade = yield* Effect.flip(loadKeySeed(join(directory, "key"), () => {
        throw "no randomness"
      }, "Iroh"))
      assert.strictEqual(unmade._tag, "KeyFileError")
      assert.strictEqual(unmade.message, `the key for Iroh cannot be kept in ${directory}/key: no randomness`)
      assert.isFalse(existsSync(join(directory, "key")))
    }))
})

describe("the preamble of QUIC", () => {
  const [head, tail] = [PREAMBLE.slice(0, 3), PREAMBLE.slice(3)]

  it("is read in any pieces, and nothing behind it", async () => {
    assert.strictEqual(Buffer.from(PREAMBLE).toString(), "bitcoin\n")
    for (const pieces of [[PREAMBLE], [head, tail], [...PREAMBLE].map((byte) => Uint8Array.of(byte))]) {
      const { asked, stream } = streamWith(...pieces)
      assert.isTrue(await readPreamble(stream))
      assert.deepStrictEqual(asked, pieces.map((_, i) => 8 - pieces.slice(0, i).reduce((sum, p) => sum + p.length, 0)))
    }
  })

  it("is not another one, nor one that ends", async () => {
    for (const pieces of [[Uint8Array.from(PREAMBLE, (byte, at) => at === 7 ? 0 : byte)], [head, head], [head, null]]) {
      assert.isFalse(await readPreamble(streamWith(...pieces).stream))
    }
  })
})

describe("dialing over QUIC", () => {
  it.effect("has the limits of this node, and one socket for each family until the scope ends", () =>
    Effect.gen(function*() {
      const dialed: Array<string> = []
      const { binding, clients, settings } = madeBinding(async (ip, port) => {
        dialed.push(`${ip} ${port}`)
        throw new Error("no way")
      })
      const scope = yield* Scope.make()
      const transport = yield* Scope.provide(transportOf(binding), scope)
      assert.deepStrictEqual(settings, [{
        privateKeyProto: KEY.encoded,
        handshakeTimeout: 5_000,
        shutdownTimeout: 1_000,
        maxIdleTimeout: 10_000,
        keepAliveInterval: 3_333,
        maxConcurrentStreamLimit: 1,
        maxStreamData: 2_000_000,
        maxConnectionData: 2_000_000,
        receiveBufferSize: 1_000_000,
        sendBufferSize: 1_000_000
      }])
      const cjdns = endpoint("[fc00::1]:4")
      for (const target of [quicAt("127.0.0.1:1"), quicAt("[::1]:2"), quicAt("127.0.0.1:3"), cjdns]) {
        assert.strictEqual((yield* Effect.flip(transport.dial(target, recorder().accept))).message, "no way")
      }
      assert.deepStrictEqual(dialed, ["127.0.0.1 1", "::1 2", "127.0.0.1 3", "fc00::1 4"])
      assert.deepStrictEqual(clients, [{ family: 0, isOver: false }, { family: 1, isOver: false }])
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      assert.deepStrictEqual(clients.map(({ isOver }) => isOver), [true, true])
    }))

  it.effect("reaches no names and no hidden services", () =>
    Effect.gen(function*() {
      const { binding, clients } = madeBinding()
      const transport = yield* transportOf(binding)
      const onion = endpoint("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333")
      for (const target of [onion, { ...endpoint("127.0.0.1:1"), name: "a.example" }]) {
        const { isProxy, message } = yield* Effect.flip(transport.dial(target, recorder().accept))
        assert.deepStrictEqual([isProxy, message], [false, `${endpointText(target)} has no address of IPv4 or IPv6`])
      }
      assert.lengthOf(clients, 0)
    }))

  it.effect("sends the preamble on its stream, and names the identity that was proved", () =>
    Effect.gen(function*() {
      const { stream, written } = streamWith()
      const { aborts, native } = connectionWith(Promise.resolve(stream))
      const transport = yield* transportOf(madeBinding(async () => native).binding)
      const { local, remote } = yield* transport.dial(quicAt("127.0.0.1:9"), recorder().accept)
      assert.deepStrictEqual([remote.quic?.identity, local, aborts()], [THEIRS, undefined, 0])
      assert.deepStrictEqual(written, [PREAMBLE])
      yield* transport.dial(quicAt("127.0.0.1:9", THEIRS), recorder().accept)
      assert.strictEqual(aborts(), 0)
      const { message } = yield* Effect.flip(transport.dial(quicAt("127.0.0.1:9", KEY.identity), recorder().accept))
      assert.strictEqual(message, `another node answers there: its identity is ${THEIRS}, not ${KEY.identity}`)
      assert.deepStrictEqual([aborts(), written.length], [1, 2])
    }))

  it.effect("closes a connection that gives no stream, or not in time", () =>
    Effect.gen(function*() {
      const refused = connectionWith(Promise.reject(new Error("no stream")))
      const transport = yield* transportOf(madeBinding(async () => refused.native).binding)
      const error = yield* Effect.flip(transport.dial(quicAt("127.0.0.1:9"), recorder().accept))
      assert.deepStrictEqual([error.message, refused.aborts()], ["no stream", 1])
      const silent = connectionWith(never())
      const other = yield* transportOf(madeBinding(async () => silent.native).binding)
      const fiber = yield* Effect.forkChild(Effect.flip(other.dial(quicAt("127.0.0.1:9"), recorder().accept)))
      yield* settle
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([(yield* Fiber.join(fiber)).message, silent.aborts()], ["no answer within 5 s", 1])
    }))

  it.effect("closes what opens after it was given up", () =>
    Effect.gen(function*() {
      let open: ((native: NativeConnection) => void) | undefined
      const late = connectionWith(never())
      const { binding } = madeBinding(() => new Promise((resolve) => void (open = resolve)))
      const transport = yield* transportOf(binding)
      const fiber = yield* Effect.forkChild(transport.dial(quicAt("127.0.0.1:9"), recorder().accept))
      yield* settle
      yield* Fiber.interrupt(fiber)
      open!(late.native)
      yield* settle
      assert.strictEqual(late.aborts(), 1)
    }))
})

describe("listening over QUIC", () => {
  const listening = Effect.fnUntraced(function*(flood: { isOn: boolean } = { isOn: false }) {
    const made = madeBinding()
    const scope = yield* Scope.make()
    const transport = yield* transportOf(made.binding)
    const theirs = recorder()
    const away: Array<string> = []
    const at = yield* Scope.provide(
      transport.listen(quicAt("127.0.0.1:0"), theirs.accept, {
        leavesIpv4: false,
        isFlooded: () => flood.isOn,
        turnedAway: (remote) => void away.push(endpointText(remote))
      }),
      scope
    )
    yield* settle
    const arrive = (native: NativeConnection) =>
      Effect.andThen(Effect.sync(() => made.arrivals.shift()!(native)), settle)
    const stop = Effect.andThen(Effect.flatMap(Effect.exit(Effect.void), (exit) => Scope.close(scope, exit)), settle)
    return { ...made, arrive, at, away, sides: theirs.sides, stop }
  })

  it.effect("greets 32 connections at a time, each with its own end and identity", () =>
    Effect.gen(function*() {
      const { arrivals, arrive, at, sides } = yield* listening()
      assert.deepStrictEqual([at.port, at.quic], [4_444, { identity: KEY.identity }])
      assert.lengthOf(arrivals, 32)
      const { aborts, native } = connectionWith(Promise.resolve(streamWith(PREAMBLE).stream))
      yield* arrive(native)
      assert.deepStrictEqual([sides[0]!.connection.local, sides[0]!.connection.remote], [
        at,
        quicAt("127.0.0.1:9", THEIRS)
      ])
      assert.deepStrictEqual([aborts(), arrivals.length], [0, 32])
    }))

  it.effect("closes who says something else, says nothing, or comes from nowhere", () =>
    Effect.gen(function*() {
      const { arrivals, arrive, sides } = yield* listening()
      const other = connectionWith(Promise.resolve(streamWith(Uint8Array.of(1)).stream))
      const silent = connectionWith(Promise.resolve(streamWith().stream))
      const nowhere = connectionWith(never(), "/dns4/a.example/udp/9/quic-v1/p2p/" + THEIRS)
      for (const { native } of [other, silent, nowhere]) yield* arrive(native)
      assert.deepStrictEqual([other.aborts(), silent.aborts(), nowhere.aborts(), arrivals.length], [1, 0, 1, 31])
      yield* TestClock.adjust("5 seconds")
      yield* settle
      assert.deepStrictEqual([silent.aborts(), arrivals.length, sides.length], [1, 32, 0])
    }))

  it.effect("turns connections of a flood away", () =>
    Effect.gen(function*() {
      const flood = { isOn: true }
      const { arrive, away, sides } = yield* listening(flood)
      const many = [1, 2].map(() => connectionWith(Promise.resolve(streamWith(PREAMBLE).stream)))
      yield* arrive(many[0]!.native)
      flood.isOn = false
      yield* arrive(many[1]!.native)
      assert.deepStrictEqual(many.map(({ aborts }) => aborts()), [1, 0])
      assert.deepStrictEqual([away, sides.length], [[`quic://${THEIRS}@127.0.0.1:9`], 1])
    }))

  it.effect("goes on after a handshake that failed, and not after its server was closed", () =>
    Effect.gen(function*() {
      const { arrivals, failures } = yield* listening()
      failures[0]!(new Error("handshake failed"))
      yield* settle
      assert.lengthOf(arrivals, 33)
      failures[1]!(new Error("the server closed"))
      yield* settle
      assert.lengthOf(arrivals, 33)
    }))

  it.effect("ends at once without connections, and with the last of them otherwise", () =>
    Effect.gen(function*() {
      const none = yield* listening()
      yield* none.stop
      assert.strictEqual(none.servers.stopped, 1)
      const { arrive, servers, stop } = yield* listening()
      const open = [1, 2].map(() => connectionWith(Promise.resolve(streamWith(PREAMBLE).stream)))
      for (const { native } of open) yield* arrive(native)
      yield* stop
      for (const [i, { end }] of open.entries()) {
        assert.strictEqual(servers.stopped, 0, `${i} closed`)
        end()
        yield* settle
      }
      assert.strictEqual(servers.stopped, 1)
    }))

  it.effect("closes a connection that comes after the end", () =>
    Effect.gen(function*() {
      const { arrive, stop } = yield* listening()
      yield* stop
      const late = connectionWith(never())
      yield* arrive(late.native)
      assert.isAbove(late.aborts(), 0)
    }))

  it.effect("says what to do where it cannot", () =>
    Effect.gen(function*() {
      const causes = [
        ["Address already in use", "another program listens there: stop it, or choose another address"],
        ["x (os error 98)", "another program listens there: stop it, or choose another address"],
        ["Cannot assign requested address", "this machine has no such address: choose another one"],
        ["x (os error 99)", "this machine has no such address: choose another one"],
        ["Permission denied", "this user may not listen there: choose a port above 1023"],
        ["x (os error 13)", "this user may not listen there: choose a port above 1023"]
      ] as const
      const listen = Effect.fnUntraced(function*(cause: string) {
        const Server = function(): void {
          throw new Error(cause)
        }
        const transport = yield* transportOf({ ...madeBinding().binding, Server } as unknown as QuicBinding)
        return (yield* Effect.flip(transport.listen(quicAt("127.0.0.1:1"), recorder().accept))).message
      })
      const at = "cannot listen for other nodes on quic://127.0.0.1:1: "
      for (const [cause, remedy] of causes) {
        assert.strictEqual(yield* listen(cause), `${at}${remedy} with [connections].quic_listen_addr`)
      }
      assert.strictEqual(yield* listen("something else"), `${at}something else`)
    }))
})
