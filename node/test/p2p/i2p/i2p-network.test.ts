import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { learnedNetwork } from "../../../src/p2p/addresses/learned-network.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { acceptI2p } from "../../../src/p2p/transport/i2p/accept-i2p.ts"
import { i2pNetwork } from "../../../src/p2p/transport/i2p/i2p-transport.ts"
import type { Accept, Connection } from "../../../src/p2p/transport/transport.ts"
import { patience } from "../../process/patience.ts"
import { endpoint } from "../transport/transport-suite.ts"
import {
  FOUND,
  GENERATED,
  i2pEndpoint,
  privateKey,
  type SamBehaviour,
  type SamServer,
  startSam,
  TRANSIENT
} from "./sam-server.ts"

const TARGET = i2pEndpoint(FOUND)

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "lockstep-i2p-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const until = (holds: () => boolean) =>
  Effect.promise(async () => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
  })

/** What arrives on connections. */
const taking = () => {
  const connections: Array<Connection> = []
  const heard: Array<string> = []
  const closed: Array<string> = []
  const accept: Accept = (connection) => {
    connections.push(connection)
    return {
      received: (bytes) => void heard.push(Buffer.from(bytes).toString()),
      drained: () => undefined,
      closed: (reason) => void closed.push(reason)
    }
  }
  return { accept, closed, connections, heard }
}

const networkAt = (server: SamServer, keyFile?: string) =>
  i2pNetwork({ at: server.at, connectTimeout: patience(5_000), random: seededRandom(3), keyFile })

/** Why a dial fails. */
const failure = (behaviour: SamBehaviour, target = TARGET) =>
  Effect.gen(function*() {
    const server = yield* startSam(behaviour)
    const { transport } = yield* networkAt(server)
    const { isProxy, message } = yield* Effect.flip(transport.dial(target, taking().accept))
    return `${isProxy ? "router" : "peer"}: ${message}`
  }).pipe(Effect.scoped)

const instead = (command: string, answer: string) => failure({ instead: { [command]: answer } })

describe("connections into I2P", () => {
  it.live("have an address of their own each, which is gone with the connection", () =>
    Effect.gen(function*() {
      const server = yield* startSam({ piece: 5, greeting: "hello" })
      const { transport } = yield* networkAt(server)
      const { accept, closed, connections, heard } = taking()
      yield* transport.dial(TARGET, accept)
      yield* until(() => heard.join("") === "hello")
      assert.deepStrictEqual(connections[0]!.remote, TARGET)
      assert.deepStrictEqual(connections[0]!.local, i2pEndpoint(TRANSIENT))
      const [hello, create, again, lookup, connect] = server.commands
      assert.deepStrictEqual([hello, again], ["HELLO VERSION MIN=3.1 MAX=3.1", "HELLO VERSION MIN=3.1 MAX=3.1"])
      assert.match(
        create!,
        /^SESSION CREATE STYLE=STREAM ID=[0-9a-f]{10} DESTINATION=TRANSIENT SIGNATURE_TYPE=7 i2cp\.leaseSetEncType=4,0 inbound\.quantity=1 outbound\.quantity=1$/
      )
      assert.strictEqual(lookup, `NAMING LOOKUP NAME=${endpointText(TARGET).replace(":0", "")}`)
      assert.match(connect!, /^STREAM CONNECT ID=[0-9a-f]{10} DESTINATION=\S{520,} SILENT=false$/)
      assert.strictEqual(server.connections(), 2)
      connections[0]!.close()
      yield* until(() => server.connections() === 0)
      assert.deepStrictEqual(closed, ["closed by this node"])
    }).pipe(Effect.scoped), patience(20_000))

  it.live(
    "use the session of a failed attempt again, unless the router has forgotten it",
    () =>
      Effect.gen(function*() {
        const server = yield* startSam({ instead: { "STREAM CONNECT": "STREAM STATUS RESULT=CANT_REACH_PEER\n" } })
        const { transport } = yield* networkAt(server)
        const sessions = (): number => server.commands.filter((line) => line.startsWith("SESSION")).length
        yield* Effect.flip(transport.dial(TARGET, taking().accept))
        yield* Effect.flip(transport.dial(TARGET, taking().accept))
        assert.strictEqual(sessions(), 1)
        server.behaviour = { instead: { "STREAM CONNECT": "STREAM STATUS RESULT=INVALID_ID\n" } }
        yield* Effect.flip(transport.dial(TARGET, taking().accept))
        server.behaviour = {}
        yield* transport.dial(TARGET, taking().accept)
        assert.strictEqual(sessions(), 2)
      }).pipe(Effect.scoped),
    patience(20_000)
  )

  it.live(
    "are logged in Bitcoin Core's words: each session, and why a node was not reached",
    () =>
      Effect.gen(function*() {
        const said: Array<string> = []
        const networkWith = (at: Endpoint, keyFile?: string) =>
          i2pNetwork({
            at,
            connectTimeout: patience(5_000),
            random: seededRandom(3),
            keyFile,
            trace: (happening) =>
              void said.push(...coreTexts(happening).map((text) => text.replace(/[0-9a-f]{10} with/, "# with")))
          })
        const server = yield* startSam({ instead: { "STREAM CONNECT": "STREAM STATUS RESULT=CANT_REACH_PEER\n" } })
        const key = join(yield* directory, "key")
        const name = endpointText(TARGET).replace(/:0$/, "")
        for (const [keyFile, kind] of [[undefined, "transient"], [key, "persistent"]] as const) {
          const { transport } = yield* networkWith(server.at, keyFile)
          yield* Effect.flip(transport.dial({ ...TARGET, port: 8_333 }, taking().accept))
          assert.deepStrictEqual(said.splice(0), [
            `Error connecting to ${name}:8333, connection refused due to arbitrary port 8333`
          ])
          yield* Effect.flip(transport.dial(TARGET, taking().accept))
          assert.deepStrictEqual(said.splice(0), [
            `Creating ${kind} I2P SAM session # with ${endpointText(server.at)}`,
            `Error connecting to ${name}:0: the I2P router does not reach ${name}: CANT_REACH_PEER`
          ])
        }
        const closed = endpoint("127.0.0.1:1")
        const { transport } = yield* networkWith(closed)
        yield* Effect.flip(transport.dial(TARGET, taking().accept))
        assert.strictEqual(said.at(-1), `Error connecting to ${name}:0: Cannot connect to 127.0.0.1:1`)
      }).pipe(Effect.scoped),
    patience(20_000)
  )

  it.live("fail because of the peer, or of the router", () =>
    Effect.gen(function*() {
      const name = endpointText(TARGET).replace(":0", "")
      assert.strictEqual(
        yield* failure({}, { ...TARGET, port: 8_333 }),
        "peer: port 8333 cannot be reached: nodes in I2P have port 0 alone"
      )
      for (const result of ["CANT_REACH_PEER", "TIMEOUT"]) {
        assert.strictEqual(
          yield* instead("STREAM CONNECT", `STREAM STATUS RESULT=${result} MESSAGE="x"\n`),
          `peer: the I2P router does not reach ${name}: ${result}`
        )
      }
      assert.strictEqual(
        yield* instead("STREAM CONNECT", "STREAM STATUS RESULT=I2P_ERROR MESSAGE=\"out of order\"\n"),
        "router: the I2P router opens no stream: I2P_ERROR (out of order)"
      )
      assert.include(
        yield* instead("NAMING LOOKUP", "NAMING REPLY RESULT=KEY_NOT_FOUND NAME=x\n"),
        "router: the I2P router does not find"
      )
      assert.include(
        yield* instead("NAMING LOOKUP", "NAMING REPLY RESULT=INVALID_KEY\n"),
        "router: the I2P router does not find"
      )
      assert.include(yield* instead("NAMING LOOKUP", "NAMING REPLY RESULT=OK VALUE=%%\n"), "router: ")
      assert.include(
        yield* instead("HELLO VERSION", "HELLO REPLY RESULT=NOVERSION\n"),
        "router: the I2P router does not speak SAM 3.1: NOVERSION"
      )
      assert.include(
        yield* instead("SESSION CREATE", "SESSION STATUS RESULT=DUPLICATED_ID\n"),
        "router: the I2P router makes no session"
      )
      assert.include(
        yield* instead("SESSION CREATE", "SESSION STATUS RESULT=OK DESTINATION=AAAA\n"),
        "a private key that is none"
      )
    }).pipe(Effect.scoped), patience(20_000))

  it.live("end with garbage, with a line that is too long, and where nothing listens", () =>
    Effect.gen(function*() {
      for (const garbage of ["SSH-2.0-x\n", "\n", "STREAM STATUS RESULT=OK\n", "HELLO REPLY X=\"\n"]) {
        assert.include(yield* instead("HELLO VERSION", garbage), "does not speak SAM 3.1: set i2p_sam to an I2P router")
      }
      assert.include(yield* instead("SESSION CREATE", "x".repeat(70_000)), "it sends a line that is too long")
      const gone = yield* Effect.scoped(startSam())
      const { transport } = yield* networkAt(gone)
      const { isProxy, message } = yield* Effect.flip(transport.dial(TARGET, taking().accept))
      assert.isTrue(isProxy)
      assert.match(message, /^the I2P router 127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED$/)
    }).pipe(Effect.scoped), patience(20_000))
})

/** A node that accepts connections from I2P. */
const accepting = Effect.fnUntraced(function*(server: SamServer, keyFile: string) {
  const network = yield* networkAt(server, keyFile)
  const learned = learnedNetwork(new Set(["i2p" as const]), () => true)
  const lines: Array<string> = []
  const taken = taking()
  yield* Effect.forkScoped(acceptI2p({
    network,
    accept: taken.accept,
    learned,
    notify: { log: (level, text) => void lines.push(`${level}: ${text}`) },
    waits: { step: 2, most: 6 }
  }))
  return { ...taken, lines, network, own: () => learned.own().map(endpointText) }
})

describe("a node that accepts connections from I2P", () => {
  it.live("has an address whose key a file keeps, and dials from it", () =>
    Effect.gen(function*() {
      const keyFile = join(yield* directory, "i2p_private_key")
      const server = yield* startSam()
      const { connections, heard, lines, network, own } = yield* accepting(server, keyFile)
      yield* until(server.isAwaited)
      yield* until(() => own().length > 0)
      assert.deepStrictEqual(own(), [endpointText(i2pEndpoint(GENERATED))])
      assert.deepStrictEqual(lines, ["info: other nodes may connect through I2P"])
      assert.deepStrictEqual(new Uint8Array(readFileSync(keyFile)), privateKey(GENERATED))
      assert.strictEqual(statSync(keyFile).mode & 0o777, 0o600)
      assert.include(server.commands.join("\n"), "inbound.quantity=3 outbound.quantity=3")
      server.come(9, "hi")
      yield* until(() => heard.join("") === "hi")
      assert.deepStrictEqual(connections[0]!.remote, i2pEndpoint(9))
      assert.deepStrictEqual(connections[0]!.local, i2pEndpoint(GENERATED))
      const { accept, connections: [dialed] = [] } = taking()
      assert.isUndefined(dialed)
      const connection = yield* network.transport.dial(TARGET, accept)
      assert.deepStrictEqual(connection.local, i2pEndpoint(GENERATED))
      assert.strictEqual(server.commands.filter((line) => line.startsWith("SESSION")).length, 1)
      yield* until(server.isAwaited)
      assert.strictEqual(lines.length, 1, "it waits for the next one under the same address")
    }).pipe(Effect.scoped), patience(20_000))

  it.live(
    "comes again with the same address when the router was away, and has none meanwhile",
    () =>
      Effect.gen(function*() {
        const keyFile = join(yield* directory, "i2p_private_key")
        writeFileSync(keyFile, privateKey(3))
        const server = yield* startSam()
        const { lines, own } = yield* accepting(server, keyFile)
        yield* until(() => own().length > 0)
        server.behaviour = { instead: { "SESSION CREATE": "SESSION STATUS RESULT=I2P_ERROR\n" } }
        server.drop()
        yield* until(() => own().length === 0)
        yield* until(() => lines.some((line) => line.includes("makes no session: I2P_ERROR")))
        server.behaviour = {}
        yield* until(() => own().length > 0)
        assert.deepStrictEqual(own(), [endpointText(i2pEndpoint(3))])
        assert.isFalse(server.commands.some((line) => line.startsWith("DEST")))
      }).pipe(Effect.scoped),
    patience(20_000)
  )

  it.live(
    "says what is wrong with its key, and refuses a peer whose destination is none",
    () =>
      Effect.gen(function*() {
        const keyFile = join(yield* directory, "i2p_private_key")
        writeFileSync(keyFile, "no key")
        const { lines } = yield* accepting(yield* startSam(), keyFile)
        yield* until(() => lines.length > 2)
        assert.strictEqual(
          lines[0],
          `warn: ${keyFile} holds no key for I2P: restore it, or remove it, and the node gets a new address; the node tries again`
        )
        assert.isTrue(lines.slice(1).every((line) => line.startsWith("debug: ")))
        const other = join(yield* directory, "key")
        const garbled = yield* startSam({ instead: { "STREAM ACCEPT": "STREAM STATUS RESULT=OK\nnobody\n" } })
        const second = yield* accepting(garbled, other)
        yield* until(() => second.lines.some((line) => line.includes("does not say who connects")))
        assert.strictEqual(second.connections.length, 0)
        const unkept = yield* accepting(yield* startSam(), "/none/such/key")
        yield* until(() => unkept.lines.length > 0)
        assert.include(unkept.lines[0]!, "the key for I2P cannot be kept in /none/such/key: ENOENT")
      }).pipe(Effect.scoped),
    patience(20_000)
  )
})
