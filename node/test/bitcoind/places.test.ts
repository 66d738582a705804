import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Plan } from "../../src/bitcoind/plan/plan.ts"
import { splitHostAndPort } from "../../src/bitcoind/plan/places-of.ts"
import { printHostPort } from "../../src/config/host-port.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const plan = (...words: ReadonlyArray<string>): Plan =>
  Result.getOrThrowWith(home.plan("-regtest", ...words), ({ problems }) => new Error(problems.join("; ")))

const problems = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const made = home.plan("-regtest", ...words)
  return Result.isFailure(made) ? made.failure.problems : []
}

const noPort = (option: string, text: string): string => `Invalid port specified in -${option}: '${text}'`
const unresolved = (option: string, text: string): string => `Cannot resolve -${option} address: '${text}'`

describe("places in options", () => {
  it.each<readonly [text: string, host: string, port: number | undefined]>([
    ["", "", undefined],
    ["a b", "a b", undefined],
    [":1", "", 1],
    ["a:00001", "a", 1],
    ["::1", "::1", undefined],
    ["[::1]", "::1", undefined],
    ["[::1]:65535", "::1", 65_535],
    ["[::1", "[::1", undefined],
    ["tcp://a:b", "tcp://a:b", undefined]
  ])("have a host and a port as Bitcoin Core splits %j", (text, host, port) => {
    assert.deepStrictEqual(splitHostAndPort(text), { host, port })
  })

  it.each(["a:", "a:0", "a:65536", "a:+1", "a: 1", "[::1]:x", "//a"])(
    "have no such port as in %j, where it is one",
    (text) => {
      assert.strictEqual(splitHostAndPort(text) === undefined, text !== "//a")
    }
  )

  it.each<readonly [word: string, problem: string]>([
    ["-bind=", unresolved("bind", "")],
    ["-bind=:8333", unresolved("bind", ":8333")],
    ["-bind=127.0.0.1 ", unresolved("bind", "127.0.0.1 ")],
    // Names are not looked up there, not even this one.
    ["-bind=localhost", unresolved("bind", "localhost")],
    ["-bind=127.0.0.1:1=tor", unresolved("bind", "127.0.0.1:1=tor")],
    ["-bind=127.0.0.1:1=ONION", unresolved("bind", "127.0.0.1:1=ONION")],
    ["-bind==onion", unresolved("bind", "=onion")],
    ["-bind=127.0.0.1:1=onion=onion", noPort("bind", "127.0.0.1:1=onion=onion")],
    ["-bind=127.0.0.1:x=onion", noPort("bind", "127.0.0.1:x=onion")],
    ["-whitebind=", unresolved("whitebind", "")],
    ["-whitebind=noban@", unresolved("whitebind", "")],
    ["-whitebind=noban@@127.0.0.1:1", unresolved("whitebind", "@127.0.0.1:1")],
    ["-whitebind=relay@localhost:1", unresolved("whitebind", "localhost:1")],
    ["-whitebind=noban@127.0.0.1:1=onion", noPort("whitebind", "noban@127.0.0.1:1=onion")],
    ["-whitebind=in@127.0.0.1:1", "Only direction was set, no permissions: 'in@127.0.0.1:1'"],
    ["-proxy=bad host", "Invalid -proxy address or hostname: 'bad host'"],
    ["-proxy=:9050", "Invalid -proxy address or hostname: ':9050'"],
    ["-proxy=0.0.0.0:9050", "Invalid -proxy address or hostname: '0.0.0.0:9050'"],
    ["-onion=bad host", "Invalid -onion address or hostname: 'bad host'"],
    ["-i2psam=0", "Invalid -i2psam address or hostname: '0'"],
    ["-noi2psam", "Invalid -i2psam address or hostname: '0'"],
    ["-externalip=2001:db8::1", unresolved("externalip", "2001:db8::1")],
    ["-externalip=0.0.0.0", unresolved("externalip", "0.0.0.0")],
    ["-zmqpubrawtx=tcp://127.0.0.1", noPort("zmqpubrawtx", "tcp://127.0.0.1")],
    ["-zmqpubrawtx=inproc://x", noPort("zmqpubrawtx", "inproc://x")]
  ])("%s is refused in Bitcoin Core's words", (word, problem) => {
    assert.deepStrictEqual(problems(word), [problem])
  })

  it("may have a port that cannot be bound, or a control port that is not found", () => {
    for (const address of ["tcp://127.0.0.1:x", "tcp://127.0.0.1:0", "ipc:///a", "unix:/a", "a"]) {
      assert.deepStrictEqual(plan(`-zmqpubrawtx=${address}`).notifiers.map(({ topic }) => topic), ["rawtx"], address)
    }
    assert.isUndefined(plan("-torcontrol=bad host").config.peers.torControl)
    assert.strictEqual(plan("-port=018999").config.peers.listen.port, 18_999)
  })

  it("may have an address in an old spelling", () => {
    const { listen, onionListen } = plan("-bind=127.1", "-bind=0x7f000002:8=onion").config.peers
    assert.deepStrictEqual(listen, { host: "127.0.0.1", port: 18_444 })
    assert.deepStrictEqual(onionListen.map(printHostPort), ["127.0.0.2:8"])
  })

  it("are IPv6 as well where nothing is said, if the machine has it", () => {
    const tried = (...words: ReadonlyArray<string>) => plan(...words).config.peers.mayListen?.map(printHostPort)
    assert.deepStrictEqual(tried(), ["[::]:18444"])
    assert.deepStrictEqual(tried("-port=7"), ["[::]:7"])
    for (const word of ["-bind=127.0.0.1", "-bind=127.0.0.1=onion", "-whitebind=127.0.0.1:1"]) {
      assert.deepStrictEqual(tried(word), [], word)
    }
  })
})
