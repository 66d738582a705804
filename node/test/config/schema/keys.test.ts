import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { FILE_KEYS, KEYS, keyCalled, OPTION_ONLY_KEYS, REQUIRED_KEYS } from "../../../src/config/catalogue.ts"
import { judgeText } from "../../../src/config/given/judge-value.ts"
import { exampleFile } from "../../../src/config/show/example.ts"

const DOCUMENTED = readFileSync(new URL("../../../../docs/operate/node.example.toml", import.meta.url), "utf8")

const isTaken = (name: string, text: string): boolean => Result.isSuccess(judgeText(keyCalled(name), text))

/** The keys of which the documentation says this, with what the pattern finds. */
const documented = (pattern: RegExp): ReadonlyArray<readonly [name: string, ...found: ReadonlyArray<string>]> => {
  let table = ""
  let about = ""
  return DOCUMENTED.split("\n").flatMap((line): ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> => {
    const [, opened] = /^\[(.+)\]$/.exec(line) ?? []
    const [, written] = /^(?:# )?(\w+) = /.exec(line) ?? []
    if (opened !== undefined) table = `${opened}.`
    about = line === "" || opened !== undefined ? "" : `${about} ${line.slice(2)}`
    const found = written === undefined ? null : pattern.exec(about)
    return found === null ? [] : [[`${table}${written}`, ...found.slice(1)]]
  })
}

/** Settings that no file has, which the documentation of the file does not show. */
const OPTIONS: Readonly<Record<string, readonly [standard: unknown, taken: string, refused: ReadonlyArray<string>]>> = {
  network: [undefined, "mainnet", ["mainnett", ""]],
  rpc_addr: [undefined, "127.0.0.1:8332", ["127.0.0.1", "127.0.0.1:65536"]],
  unsafe_rpc_bind: [false, "true", ["maybe"]],
  migrate_destination: [undefined, "~/there", ["", "~other/there"]],
  migrate_core_only: [false, "yes", ["maybe"]],
  sigop: [true, "off", ["maybe"]],
  bip158: [false, "on", ["maybe"]],
  assumeutxo: [undefined, "aB".repeat(32), ["aB".repeat(31), "aB".repeat(33), "zz".repeat(32)]],
  target_peer_count: [undefined, "100000", ["100001", "-1", "1.5"]],
  async_request_timeout: [undefined, "86400", ["86401", "0"]],
  ibd_peers: [undefined, "192.0.2.1:8333, [2001:db8::1]:8333", ["192.0.2.1:0"]],
  ibd_engine: [false, "0", ["2"]],
  ibd_wan_single_peer: [false, "1", ["2"]],
  core_migrate_block_workers: [undefined, "1", ["0"]],
  core_migrate_block_batch: [undefined, "1", ["0"]]
}

describe("the keys of the configuration", () => {
  it("have the defaults, limits and descriptions that docs/operate/node.example.toml shows", () => {
    assert.strictEqual(DOCUMENTED, exampleFile())
    for (const { facts, name } of FILE_KEYS) {
      assert.notStrictEqual(facts.example ?? facts.fallback, undefined, name)
      assert.notStrictEqual(facts.fallback ?? facts.fallbackText, undefined, name)
    }
  })

  it("that are integers take both of their documented limits and nothing beyond", () => {
    const limited = documented(/an integer from (-?\d+) (?:up|to (\d+))/)
    assert.isAbove(limited.length, 60)
    for (const [name, least = "", most] of limited) {
      const isList = Array.isArray(keyCalled(name).facts.fallback)
      if (isList) continue
      for (const [value, taken] of [[Number(least), true], [Number(least) - 1, false]] as const) {
        assert.strictEqual(isTaken(name, String(value)), taken, `${name} = ${value}`)
      }
      if (most === undefined) continue
      for (const [value, taken] of [[Number(most), true], [Number(most) + 1, false]] as const) {
        assert.strictEqual(isTaken(name, String(value)), taken, `${name} = ${value}`)
      }
    }
  })

  it("that are numbers take their documented limits and decimals and nothing beyond", () => {
    const limited = documented(/a number from (-?[\d.]+) to ([\d.]+) with at most (\d+) decimals/)
    assert.isAbove(limited.length, 3)
    for (const [name, least = "", most = "", decimals = ""] of limited) {
      const step = `0.${"1".padStart(Number(decimals), "0")}`
      const expected: ReadonlyArray<readonly [text: string, taken: boolean]> = [
        [least, true],
        [most, true],
        [String(Number(least) - 1), false],
        [String(Number(most) + 1), false],
        [Number(least) === 0 ? step : least, true],
        [`${step}1`, false]
      ]
      for (const [text, taken] of expected) assert.strictEqual(isTaken(name, text), taken, `${name} = ${text}`)
    }
  })

  it("that are choices take each of their documented words and no other", () => {
    const chosen = documented(/Value: ("[^.]*" or "[^"]*")/)
    assert.isAbove(chosen.length, 5)
    for (const [name, words = ""] of chosen) {
      for (const [, word = ""] of words.matchAll(/"([^"]*)"/g)) assert.isTrue(isTaken(name, word), `${name} = ${word}`)
      assert.isFalse(isTaken(name, "another"), name)
    }
  })

  it("that no file has take what an option or a variable says, within their limits", () => {
    assert.sameMembers(OPTION_ONLY_KEYS.map(({ name }) => name), Object.keys(OPTIONS))
    for (const [name, [standard, taken, refused]] of Object.entries(OPTIONS)) {
      const { facts, inFile } = keyCalled(name)
      assert.deepStrictEqual([inFile, facts.fallback], [false, standard], name)
      assert.isTrue(isTaken(name, taken), `${name} = ${taken}`)
      for (const text of refused) assert.isFalse(isTaken(name, text), `${name} = ${text}`)
    }
  })

  it("are in one list, each once, and a file must have one of them", () => {
    assert.strictEqual(KEYS.size, FILE_KEYS.length + OPTION_ONLY_KEYS.length)
    for (const { inFile, name } of FILE_KEYS) assert.isTrue(inFile, name)
    assert.deepStrictEqual(REQUIRED_KEYS.map(({ name }) => name), ["transport_preference"])
  })
})
