import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endpointText, parseEndpoint } from "../../../src/net/endpoint-text.ts"
import { authenticate } from "../../../src/p2p/tor/authenticate.ts"
import type { ControlClient } from "../../../src/p2p/tor/control-client.ts"
import { addOnionService, socksProxy } from "../../../src/p2p/tor/onion-service.ts"
import { KEY, SERVICE } from "./control-server.ts"

type Reply = readonly [code: number, ...lines: ReadonlyArray<string>]

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "lockstep-tor-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A Tor that answers commands by their first word, one answer after another; the last one again. */
const tor = (answers: Readonly<Record<string, ReadonlyArray<Reply>>>) => {
  const asked: Array<string> = []
  const times = new Map<string, number>()
  const client: ControlClient = {
    ask: (command) =>
      Effect.sync(() => {
        asked.push(command)
        const [word = ""] = command.split(" ")
        const time = times.get(word) ?? 0
        times.set(word, time + 1)
        const [code, ...lines] = answers[word]!.at(Math.min(time, answers[word]!.length - 1))!
        return { code, lines }
      }),
    ended: Effect.never
  }
  return { asked, client }
}

const OK: Reply = [250, "OK"]
const methods = (text: string): Reply => [250, "PROTOCOLINFO 1", `AUTH METHODS=${text}`, "OK"]
const CLIENT = Buffer.alloc(32, 3)
const COOKIE = Buffer.alloc(32, 7)
const NONCE = Buffer.alloc(32, 9)
const random = { bytes: (count: number) => new Uint8Array(CLIENT.subarray(0, count)) }
const proof = (side: string): string =>
  createHmac("sha256", `Tor safe cookie authentication ${side} hash`).update(Buffer.concat([COOKIE, CLIENT, NONCE]))
    .digest("hex")

/** What is said to Tor to log in, or why that fails. */
const loggedIn = Effect.fnUntraced(function*(
  answers: Readonly<Record<string, ReadonlyArray<Reply>>>,
  password?: string
) {
  const { asked, client } = tor({ AUTHENTICATE: [OK], ...answers })
  const failure = yield* Effect.match(authenticate(client, password, random), {
    onSuccess: () => undefined,
    onFailure: ({ message }) => message
  })
  return failure ?? asked
})

describe("logging in to Tor", () => {
  it.effect("needs nothing where it lets all in, and the password where there is one", () =>
    Effect.gen(function*() {
      const open = { PROTOCOLINFO: [methods("NULL,HASHEDPASSWORD")] }
      assert.deepStrictEqual(yield* loggedIn(open), ["PROTOCOLINFO 1", "AUTHENTICATE"])
      assert.deepStrictEqual(yield* loggedIn(open, "a\"b"), ["PROTOCOLINFO 1", "AUTHENTICATE \"a\\\"b\""])
    }))

  it.effect("says what to set where Tor does not let it in", () =>
    Effect.gen(function*() {
      const failure = (text: string, password?: string) => loggedIn({ PROTOCOLINFO: [methods(text)] }, password)
      assert.strictEqual(yield* failure("HASHEDPASSWORD"), "Tor wants a password: set [connections].tor_password")
      const unknown = "Tor offers no way to log in that the node knows: set CookieAuthentication 1 in torrc"
      for (const text of ["COOKIE", "", "SAFECOOKIE"]) assert.strictEqual(yield* failure(text), unknown)
      assert.strictEqual(
        yield* failure("NULL,SAFECOOKIE", "secret"),
        "Tor takes no password: set HashedControlPassword in torrc, or leave [connections].tor_password out"
      )
      const refused = (password?: string) =>
        loggedIn({ PROTOCOLINFO: [methods("NULL,HASHEDPASSWORD")], AUTHENTICATE: [[515, "no"]] }, password)
      assert.strictEqual(yield* refused(), "Tor does not let the node in (reply 515)")
      assert.strictEqual(
        yield* refused("wrong"),
        "Tor does not take the password (reply 515): check [connections].tor_password"
      )
      assert.strictEqual(
        yield* loggedIn({ PROTOCOLINFO: [[510, "what"]] }),
        "Tor does not say how to log in (reply 510): check [connections].tor_control"
      )
      assert.strictEqual(yield* loggedIn({ PROTOCOLINFO: [[250, "OK"]] }), unknown)
    }))

  it.effect("proves that both sides know the cookie", () =>
    Effect.gen(function*() {
      const file = join(yield* directory, "cookie")
      writeFileSync(file, COOKIE)
      const server = proof("server-to-controller")
      const says = (challenge: Reply) =>
        loggedIn({ PROTOCOLINFO: [methods(`SAFECOOKIE COOKIEFILE="${file}"`)], AUTHCHALLENGE: [challenge] })
      const good = `SERVERHASH=${server} SERVERNONCE=${NONCE.toString("hex")}`
      assert.deepStrictEqual(yield* says([250, `AUTHCHALLENGE ${good}`]), [
        "PROTOCOLINFO 1",
        `AUTHCHALLENGE SAFECOOKIE ${CLIENT.toString("hex")}`,
        `AUTHENTICATE ${proof("controller-to-server")}`
      ])
      const unanswered = (code: number) => `Tor does not answer the challenge of its cookie (reply ${code})`
      assert.strictEqual(yield* says([251, `AUTHCHALLENGE ${good}`]), unanswered(251))
      assert.strictEqual(yield* says([250]), unanswered(250))
      assert.strictEqual(yield* says([250, `OTHER ${good}`]), unanswered(250))
      assert.strictEqual(yield* says([250, `AUTHCHALLENGE SERVERHASH=${server}`]), unanswered(250))
      assert.strictEqual(yield* says([250, `AUTHCHALLENGE ${good}00`]), unanswered(250))
      assert.strictEqual(
        yield* says([250, `AUTHCHALLENGE SERVERHASH=${"00".repeat(32)} SERVERNONCE=${NONCE.toString("hex")}`]),
        `what answers at Tor's control port does not know the cookie in ${file}: check [connections].tor_control`
      )
    }))

  it.effect("fails with a cookie that is not there, or is none", () =>
    Effect.gen(function*() {
      const file = join(yield* directory, "cookie")
      const failure = loggedIn({ PROTOCOLINFO: [methods(`SAFECOOKIE COOKIEFILE="${file}"`)] })
      assert.strictEqual(
        yield* failure,
        `Tor's cookie ${file} cannot be read (ENOENT): let the node's user read it, or set [connections].tor_password`
      )
      writeFileSync(file, COOKIE.subarray(1))
      assert.strictEqual(yield* failure, `Tor's cookie ${file} has 31 bytes, and not 32`)
    }))
})

describe("the proxy of Tor", () => {
  it.effect("is one of this machine where there is one, else the first; Tor's default where it does not say", () =>
    Effect.gen(function*() {
      const found = (...reply: Reply) => Effect.map(socksProxy(tor({ GETINFO: [reply] }).client), endpointText)
      const line = (text: string): Reply => [250, `net/listeners/socks=${text}`, "OK"]
      assert.strictEqual(yield* found(...line("\"127.0.0.1:9150\"")), "127.0.0.1:9150")
      assert.strictEqual(yield* found(...line("\"10.0.0.1:1\" \"127.0.0.2:2\" \"127.0.0.1:3\"")), "127.0.0.2:2")
      assert.strictEqual(yield* found(...line("\"unix:/run/tor\" \"10.0.0.1:1\" \"10.0.0.2:2\"")), "10.0.0.1:1")
      const [usual] = ["127.0.0.1:9050"]
      assert.strictEqual(yield* found(...line("")), usual)
      assert.strictEqual(yield* found(...line("\"127.0.0.1:0\"")), usual)
      assert.strictEqual(yield* found(250, "other=\"127.0.0.1:7\""), usual)
      assert.strictEqual(yield* found(551, "net/listeners/socks=\"127.0.0.1:7\""), usual)
    }))
})

describe("the onion service", () => {
  const added = Effect.fnUntraced(function*(
    replies: ReadonlyArray<Reply>,
    { keyFile, target = "10.0.0.1:8334" }: { readonly keyFile: string; readonly target?: string }
  ) {
    const { asked, client } = tor({ ADD_ONION: replies })
    const warnings: Array<string> = []
    const at = yield* Effect.match(
      addOnionService(client, {
        keyFile,
        port: 8_333,
        target: parseEndpoint(target, 0)!,
        warn: (message) => void warnings.push(message)
      }),
      { onSuccess: endpointText, onFailure: ({ message }) => message }
    )
    return { asked, at, warnings }
  })
  const made: Reply = [250, `ServiceID=${SERVICE}`, `PrivateKey=${KEY}`, "OK"]

  it.effect("has a key that Tor makes once, and its owner alone can read", () =>
    Effect.gen(function*() {
      const keyFile = join(yield* directory, "key")
      const first = yield* added([made], { keyFile })
      assert.deepStrictEqual(first, {
        asked: ["ADD_ONION NEW:ED25519-V3 PoWDefensesEnabled=1 Port=8333,10.0.0.1:8334"],
        at: `${SERVICE}.onion:8333`,
        warnings: []
      })
      assert.deepStrictEqual([readFileSync(keyFile, "latin1"), statSync(keyFile).mode & 0o777], [KEY, 0o600])
      const again = yield* added([[250, `ServiceID=${SERVICE}`, `PrivateKey=${KEY.replaceAll("A", "B")}`]], { keyFile })
      assert.deepStrictEqual(again.asked, [`ADD_ONION ${KEY} PoWDefensesEnabled=1 Port=8333,10.0.0.1:8334`])
      assert.strictEqual(readFileSync(keyFile, "latin1"), KEY)
    }))

  it.effect("leads to this machine where the node listens at any address, of the same family", () =>
    Effect.gen(function*() {
      const keyFile = join(yield* directory, "key")
      const leadsTo = (target: string) =>
        Effect.map(added([[250, `ServiceID=${SERVICE}`]], { keyFile, target }), ({ asked }) => asked[0]!.split(",")[1])
      assert.strictEqual(yield* leadsTo("0.0.0.0:7"), "127.0.0.1:7")
      assert.strictEqual(yield* leadsTo("[::]:7"), "[::1]:7")
      assert.strictEqual(yield* leadsTo("[2a00::1]:7"), "[2a00::1]:7")
      assert.isFalse(existsSync(keyFile))
    }))

  it.effect("is asked for without proofs of work where Tor does not know them, and for no other reason", () =>
    Effect.gen(function*() {
      const keyFile = join(yield* directory, "key")
      const old = yield* added([[512, "Bad arguments"], made], { keyFile })
      assert.deepStrictEqual(old.asked.slice(1), ["ADD_ONION NEW:ED25519-V3 Port=8333,10.0.0.1:8334"])
      assert.strictEqual(old.at, `${SERVICE}.onion:8333`)
      const refused = yield* added([[551, "x".repeat(300)], made], { keyFile })
      assert.lengthOf(refused.asked, 1)
      assert.strictEqual(refused.at, `Tor makes no onion service (reply 551: ${"x".repeat(200)})`)
      assert.strictEqual(
        (yield* added([[250, "ServiceID=short"]], { keyFile })).at,
        "Tor does not say what the address of the onion service is"
      )
    }))

  it.effect("warns where its key cannot be kept, and refuses what is no key", () =>
    Effect.gen(function*() {
      const folder = yield* directory
      const unkept = yield* added([made], { keyFile: join(folder, "none", "key") })
      assert.strictEqual(unkept.at, `${SERVICE}.onion:8333`)
      assert.match(unkept.warnings[0]!, /cannot be kept in .*ENOENT; the service has another address after the next/)
      const keyFile = join(folder, "key")
      writeFileSync(keyFile, "nonsense")
      const { asked, at } = yield* added([made], { keyFile })
      assert.deepStrictEqual(asked, [])
      assert.include(at, "holds no key of an onion service")
    }))
})
