import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { keyCalled } from "../../src/config/catalogue.ts"
import { parseFile } from "../../src/config/file/parse-file.ts"
import { judgeText, judgeValue } from "../../src/config/given/judge-value.ts"
import { readOptions } from "../../src/config/given/options.ts"
import { LOG_LEVEL_WORDS, logLevelCalled } from "../../src/config/log-filter.ts"
import { ownUserAgent } from "../../src/config/own-user-agent.ts"
import { CORE_RELEASE, version } from "../../src/version.ts"

describe("values that are given", () => {
  const LONG = "x".repeat(61)
  it.each<readonly [key: string, value: unknown, found: string]>([
    ["max_peers", "many", "found \"many\""],
    ["max_peers", -1, "found -1"],
    ["max_peers", 2n ** 70n, "found 1180591620717411303424"],
    ["max_peers", true, "found true"],
    ["max_peers", null, "found nothing"],
    ["max_peers", [1], "found a list"],
    ["max_peers", { a: 1 }, "found a table"],
    ["max_peers", new Date(0), "found a date"],
    ["max_peers", LONG, `found "${LONG.slice(0, 60)}…"`],
    ["max_peers", LONG.slice(1), `found "${LONG.slice(1)}"`],
    ["rpc_auth.password", 5, "found a number"],
    ["rpc_auth.password", ["a"], "found a list"],
    ["rpc_auth.tokens", ["good", "b c", 5], "found a text as member 2 and a number as member 3"],
    ["connections.onlynet", ["ipv4", "ipv5"], "found \"ipv5\" as member 2; did you mean \"ipv4\"?"],
    ["transport_preference", "iroh", "found \"iroh\"; did you mean \"irohonly\"?"],
    ["transport_preference", "quic", "found \"quic\"; did you mean \"quinnonly\"?"],
    ["transport_preference", "quinn", "found \"quinn\"; did you mean \"quinnonly\"?"],
    ["transport_preference", "tcp", "found \"tcp\"; did you mean \"tcponly\"?"],
    ["transport_preference", "hybird", "found \"hybird\"; did you mean \"hybrid\"?"],
    ["transport_preference", "constructor", "found \"constructor\""]
  ])("%s = %s is refused with what stands there, and with the word that was meant", (key, value, found) => {
    const judged = judgeValue(keyCalled(key), value)
    assert.isTrue(Result.isFailure(judged))
    assert.strictEqual(Result.isFailure(judged) ? judged.failure.replace(/^expected .*?, (?=found )/, "") : "", found)
  })

  it.each<readonly [mode: object, fits: boolean]>([
    [{ type: "manual" }, true],
    [{ type: "normal", keep_from_height: 0, min_recent_blocks: 288 }, true],
    [{ type: "normal", keep_from_height: 4_294_967_295, min_recent_blocks: 4_294_967_295 }, true],
    [{ type: "normal", keep_from_height: -1 }, false],
    [{ type: "normal", keep_from_height: 4_294_967_296 }, false],
    [{ type: "normal", min_recent_blocks: 287 }, false],
    [{ type: "normal", min_recent_blocks: 4_294_967_296 }, false],
    [{ type: "manual", keep_from_height: 1 }, false]
  ])("for how blocks are pruned may be the table %j: %s", (mode, fits) => {
    assert.strictEqual(Result.isSuccess(judgeValue(keyCalled("storage.pruning.mode"), mode)), fits)
  })

  it("are read from texts, and refused with them", () => {
    assert.deepStrictEqual(judgeText(keyCalled("max_peers"), "7"), Result.succeed(7))
    const refused = judgeText(keyCalled("rpc_auth.password"), "")
    assert.notInclude(Result.isFailure(refused) ? refused.failure : "", "\"\"")
  })

  it("by two options that stand for one key exclude each other, and by one option twice do not", () => {
    const option = (name: string, text: string) => ({ option: name, key: "max_peers", text })
    assert.deepStrictEqual(readOptions([option("--a", "1"), option("--b", "2")], []).problems, [
      "--a and --b exclude each other"
    ])
    assert.deepStrictEqual(readOptions([option("--a", "1"), option("--a", "2")], []).problems, [])
    assert.deepStrictEqual(readOptions([option("--a", "1")], ["max_peers=2", "max_peers = \"3\""]).problems, [])
  })

  it.each([
    ["max_peers", "--set: expected key=value, found \"max_peers\""],
    ["=1", "--set: expected key=value, found \"=1\""],
    ["x=1", "--set: x is not a known key"],
    ["max_peer=1", "--set: max_peer is not a known key; did you mean max_peers?"],
    ["network=signet", "--set: network is not a known key"]
  ])("by --set %s are refused", (assignment, said) => {
    const { problems } = readOptions([], [assignment])
    assert.isTrue(problems.length === 1 && problems[0]!.startsWith(said), problems.join("\n"))
  })
})

describe("words of the log", () => {
  it("are those of levels, some in two ways, in any case", () => {
    assert.deepStrictEqual(LOG_LEVEL_WORDS.map((word) => [word, logLevelCalled(word.toUpperCase())]), [
      ["trace", "trace"],
      ["debug", "debug"],
      ["info", "info"],
      ["warn", "warn"],
      ["warning", "warn"],
      ["error", "error"],
      ["none", "none"],
      ["off", "none"]
    ])
    assert.isUndefined(logLevelCalled("constructor"))
  })
})

describe("the user agent of a node", () => {
  it("is this software's name and version, behind the release of Bitcoin Core where clients look for that", () => {
    assert.strictEqual(ownUserAgent("lockstep"), `/Lockstep:${version()}/`)
    assert.strictEqual(ownUserAgent("satoshi"), `/Satoshi:${CORE_RELEASE}/Lockstep:${version()}/`)
    assert.strictEqual(ownUserAgent("lockstep", ["a", "b"]), `/Lockstep:${version()}(a; b)/`)
  })
})

describe("a file that is no JSON", () => {
  it.effect.each<readonly [text: string, place: string]>([
    ["{\n \"a\": ", "2:7"],
    ["{\n x", "2:2"],
    ["{", "1:2"]
  ])("is refused with the place where reading ended: %j", ([text, place]) =>
    Effect.gen(function*() {
      const { problems } = yield* Effect.flip(parseFile("node.json", text))
      assert.deepStrictEqual(problems, [`node.json:${place}: not valid JSON`])
    }))
})
