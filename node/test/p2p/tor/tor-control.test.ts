import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { learnedNetwork } from "../../../src/p2p/addresses/learned-network.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { keepOnionService, type TorControlOptions } from "../../../src/p2p/tor/tor-control.ts"
import { patience } from "../../process/patience.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { COOKIE, type ControlServer, KEY, SERVICE, startControl, type TorBehaviour } from "./control-server.ts"

const ADDRESS = `${SERVICE}.onion:8333`

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "lockstep-tor-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A node's side, running against a control port. */
const place = Effect.fnUntraced(function*(server: ControlServer, more: Partial<TorControlOptions> = {}) {
  const reachable = new Set(["ipv4" as const])
  const learned = learnedNetwork(reachable, () => true)
  const lines: Array<string> = []
  const keyFile = join(yield* directory, "onion_v3_private_key")
  yield* Effect.forkScoped(keepOnionService({
    at: server.at,
    password: undefined,
    wantsProxy: true,
    isAskedFor: true,
    learned,
    notify: { log: (level, text) => void lines.push(`${level}: ${text}`), trace: undefined },
    random: seededRandom(5),
    connectTimeout: patience(5_000),
    keyFile,
    target: endpoint("0.0.0.0:8334"),
    port: 8_333,
    waits: { first: 2, most: 8, factor: 1.5 },
    ...more
  }))
  const own = (): ReadonlyArray<string> => learned.own().map(endpointText)
  return { keyFile, learned, lines, own, reachable }
})

const until = (holds: () => boolean) =>
  Effect.promise(async () => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
  })

/** The first warning of a node that a control port does not serve. */
const warningOf = (behaviour: TorBehaviour, more: Partial<TorControlOptions> = {}) =>
  Effect.gen(function*() {
    const server = yield* startControl(behaviour)
    const { lines, own } = yield* place(server, more)
    // It tries again, and says the same once.
    yield* until(() => server.commands.filter((line) => line.startsWith("PROTOCOLINFO")).length > 2)
    assert.deepStrictEqual(own(), [])
    const warnings = lines.filter((line) => line.startsWith("warn: "))
    assert.strictEqual(warnings.length, 1, warnings.join("\n"))
    return warnings[0]!.slice("warn: ".length)
  }).pipe(Effect.scoped)

describe("an onion service made through Tor's control port", () => {
  it.live(
    "leads to the node, whose address is known while the connection lasts; the proxy is learned",
    () =>
      Effect.gen(function*() {
        const server = yield* startControl()
        const { keyFile, learned, lines, own, reachable } = yield* place(server)
        yield* until(() => lines.length > 0)
        assert.deepStrictEqual(own(), [ADDRESS])
        assert.isTrue(reachable.has("onion" as never))
        assert.strictEqual(endpointText(learned.onionProxy()!), "127.0.0.1:9150")
        assert.deepStrictEqual(server.commands, [
          "PROTOCOLINFO 1",
          "AUTHENTICATE",
          "GETINFO net/listeners/socks",
          "ADD_ONION NEW:ED25519-V3 PoWDefensesEnabled=1 Port=8333,127.0.0.1:8334"
        ])
        assert.strictEqual(readFileSync(keyFile, "utf8"), KEY)
        assert.strictEqual(statSync(keyFile).mode & 0o777, 0o600)
        assert.deepStrictEqual(lines, ["info: other nodes may connect through Tor"])
      }).pipe(Effect.scoped),
    patience(20_000)
  )

  it.live(
    "comes again with the kept key when Tor was away, and its address is not known meanwhile",
    () =>
      Effect.gen(function*() {
        const server = yield* startControl({ isOld: true, piece: 3 })
        const { learned, lines, own } = yield* place(server)
        yield* until(() => own().length > 0)
        server.behaviour = { instead: { PROTOCOLINFO: "551 later\r\n" } }
        server.drop()
        yield* until(() => own().length === 0)
        assert.isDefined(learned.onionProxy(), "the proxy is likely to come back")
        yield* until(() => lines.join("\n").includes("Tor does not say how to log in (reply 551)"))
        server.behaviour = { isOld: true }
        yield* until(() => own().length > 0)
        assert.deepStrictEqual(server.commands.slice(-2), [
          `ADD_ONION ${KEY} PoWDefensesEnabled=1 Port=8333,127.0.0.1:8334`,
          `ADD_ONION ${KEY} Port=8333,127.0.0.1:8334`
        ])
      }).pipe(Effect.scoped),
    patience(20_000)
  )

  it.live("waits and warns anew, as at first, after a service that was up", () =>
    Effect.gen(function*() {
      const server = yield* startControl()
      // The second wait in a row would outlast the test.
      const { lines, own } = yield* place(server, { waits: { first: 20, most: 600_000, factor: 10_000 } })
      for (let round = 1; round <= 4; round++) {
        yield* until(() => own().length > 0)
        server.drop()
        yield* until(() => own().length === 0)
        assert.lengthOf(lines.filter((line) => line.startsWith("warn: ")), round)
      }
    }).pipe(Effect.scoped), patience(20_000))

  it.live("is made once Tor has started, long after the node", () =>
    Effect.gen(function*() {
      const port = yield* Effect.map(Effect.scoped(startControl()), ({ at }) => at).pipe(Effect.orDie)
      const { lines, own } = yield* place({ at: port } as ControlServer)
      yield* until(() => lines.length > 1)
      assert.match(
        lines[0]!,
        /^warn: Tor's control port 127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED; the node tries again$/
      )
      assert.match(lines[1]!, /^debug: /)
      yield* startControl({}, port.port)
      yield* until(() => own().length > 0)
    }).pipe(Effect.scoped), patience(20_000))

  it.live("logs in with the cookie, of which each side proves that it knows it", () =>
    Effect.gen(function*() {
      const file = join(yield* directory, "control \"auth\" cookie")
      writeFileSync(file, COOKIE)
      const cookieFile = file.replaceAll("\"", "\\\"")
      const server = yield* startControl({ methods: "COOKIE,SAFECOOKIE", cookieFile })
      const { own } = yield* place(server)
      yield* until(() => own().length > 0)
      const behaviour = { methods: "SAFECOOKIE", cookieFile }
      assert.strictEqual(
        yield* warningOf({ ...behaviour, serverHash: "00".repeat(32) }),
        `what answers at Tor's control port does not know the cookie in ${file}: check [connections].tor_control; ` +
          "the node tries again"
      )
      for (const serverHash of ["00", "zz".repeat(32)]) {
        assert.include(yield* warningOf({ ...behaviour, serverHash }), "does not answer the challenge")
      }
      writeFileSync(file, COOKIE.subarray(1))
      assert.include(yield* warningOf(behaviour), "has 31 bytes, and not 32")
      assert.include(yield* warningOf({ ...behaviour, cookieFile: "/none/such" }), "cannot be read (ENOENT)")
      assert.include(yield* warningOf({ methods: "COOKIE", cookieFile }), "set CookieAuthentication 1 in torrc")
    }).pipe(Effect.scoped), patience(20_000))

  it.live("logs in with a password where there is one", () =>
    Effect.gen(function*() {
      const password = "a \"b\" \\c"
      const server = yield* startControl({ methods: "NULL,HASHEDPASSWORD", password })
      const { own } = yield* place(server, { password })
      yield* until(() => own().length > 0)
      assert.strictEqual(
        yield* warningOf({ methods: "HASHEDPASSWORD", password }, { password: "wrong" }),
        "Tor does not take the password (reply 515): check [connections].tor_password; the node tries again"
      )
      assert.include(yield* warningOf({ methods: "NULL" }, { password }), "Tor takes no password")
      assert.include(yield* warningOf({ methods: "HASHEDPASSWORD", password }), "Tor wants a password")
    }).pipe(Effect.scoped), patience(20_000))

  it.live("is not made where Tor answers nonsense, refuses it, or the key is none", () =>
    Effect.gen(function*() {
      const instead = (word: string, text: string) => warningOf({ instead: { [word]: text } })
      assert.include(yield* instead("PROTOCOLINFO", "SSH-2.0-x\r\n"), "does not speak Tor's control protocol")
      assert.include(yield* instead("AUTHENTICATE", "x".repeat(200_000)), "a line that is too long")
      assert.include(yield* instead("AUTHENTICATE", "250-x\r\n".repeat(2_000)), "too many lines")
      assert.include(yield* instead("ADD_ONION", "551 Failed\r\n"), "Tor makes no onion service (reply 551: Failed)")
      assert.include(yield* instead("ADD_ONION", "250-ServiceID=../x\r\n250 OK\r\n"), "does not say what the address")
      const keyFile = join(yield* directory, "key")
      writeFileSync(keyFile, "no key\r\nSIGNAL HALT\r\n")
      assert.include(yield* warningOf({}, { keyFile }), "holds no key of an onion service: restore it, or remove it")
      assert.include(yield* warningOf({}, { keyFile: tmpdir() }), "cannot be read: EISDIR")
    }).pipe(Effect.scoped), patience(20_000))

  it.live(
    "leaves the proxy alone where the operator chose one, and finds one among many else",
    () =>
      Effect.gen(function*() {
        const server = yield* startControl({ socks: "\"unix:/run/tor/socks\" \"10.0.0.1:9050\" \"127.0.0.1:9999\"" })
        const chosen = yield* place(server, { wantsProxy: false })
        yield* until(() => chosen.own().length === 0 && server.commands.length >= 3)
        assert.isUndefined(chosen.learned.onionProxy())
        assert.deepStrictEqual(chosen.own(), [], "no peer in Tor's network is reached")
        const learnedFrom = (socks: string, instead: TorBehaviour["instead"] = {}) =>
          Effect.gen(function*() {
            const { learned, own } = yield* place(yield* startControl({ socks, instead }))
            yield* until(() => own().length > 0)
            return endpointText(learned.onionProxy()!)
          })
        assert.strictEqual(
          yield* learnedFrom("\"unix:/run/tor/socks\" \"10.0.0.1:9050\" \"127.0.0.1:9999\""),
          "127.0.0.1:9999"
        )
        assert.strictEqual(yield* learnedFrom("\"10.0.0.1:9051\""), "10.0.0.1:9051")
        assert.strictEqual(yield* learnedFrom(""), "127.0.0.1:9050")
        assert.strictEqual(yield* learnedFrom("", { GETINFO: "510 Unrecognized\r\n" }), "127.0.0.1:9050")
      }).pipe(Effect.scoped),
    patience(20_000)
  )

  it.live(
    "is missed in silence where it was not asked for, and fails where its key cannot be kept",
    () =>
      Effect.gen(function*() {
        const at = yield* Effect.map(Effect.scoped(startControl()), (server) => server.at)
        const silent = yield* place({ at } as ControlServer, { isAskedFor: false })
        yield* until(() => silent.lines.length > 1)
        assert.isTrue(silent.lines.every((line) => line.startsWith("debug: ")))
        const { lines, own } = yield* place(yield* startControl(), { keyFile: "/none/such/key" })
        yield* until(() => own().length > 0)
        assert.deepStrictEqual(lines, [
          "warn: the key of the onion service cannot be kept in /none/such/key: ENOENT; the service has another address after " +
          "the next start",
          "info: other nodes may connect through Tor"
        ])
      }).pipe(Effect.scoped),
    patience(20_000)
  )
})
