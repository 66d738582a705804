import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileSystemErrorText } from "../../src/bitcoind/args/file-system-error.ts"
import { ignoredConf } from "../../src/bitcoind/args/ignored-conf.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const read = (...words: ReadonlyArray<string>) =>
  Result.getOrThrowWith(home.read(...words), (message) => new Error(message))

describe("the chain that options choose", () => {
  it.each([
    ["", "main"],
    ["-testnet4", "testnet4"],
    ["-testnet", "test"],
    ["-signet", "signet"],
    ["-regtest=0", "main"],
    ["-noregtest", "main"],
    ["-signet=0 -testnet4=1", "testnet4"],
    ["-regtest=0 -chain=signet", "signet"]
  ])("by %j is %s", (words, chain) => {
    assert.strictEqual(read(...words.split(" ").filter((word) => word !== "")).chain, chain)
  })
})

describe("files that an included file wants to include", () => {
  it("are named though they stand in the section of the chain that only the included file chooses", () => {
    home.write("bitcoin.conf", "includeconf=a.conf\n")
    home.write("a.conf", "regtest=1\nincludeconf=c.conf\n[regtest]\nincludeconf=b.conf\n[signet]\nincludeconf=d.conf\n")
    const { chain, conf, stderr } = read()
    assert.deepStrictEqual([chain, conf.included, conf.nested], ["regtest", ["a.conf"], ["c.conf", "b.conf"]])
    assert.deepStrictEqual(
      stderr,
      ["c.conf", "b.conf"].map((name) =>
        `warning: -includeconf cannot be used from included files; ignoring -includeconf=${name}`
      )
    )
  })
})

describe("directories of a start", () => {
  it("are made where they are not there, each with one for wallets, but for one that options name", () => {
    rmSync(home.base, { recursive: true })
    const { base, directory } = read("-regtest")
    assert.deepStrictEqual([base, directory], [home.base, join(home.base, "regtest")])
    assert.deepStrictEqual([base, directory].map((each) => existsSync(join(each, "wallets"))), [true, true])
    const none = join(home.base, "none")
    assert.deepStrictEqual(
      home.read(`-datadir=${none}`),
      Result.fail(`Specified data directory "${none}" does not exist.`)
    )
  })
})

describe("the kept settings", () => {
  it("are in the file that -settings names, below the directory of the chain, and in none where it is negated", () => {
    read("-regtest", "-settings=own.json")
    const at = (name: string): boolean => existsSync(join(home.base, "regtest", name))
    assert.deepStrictEqual([at("own.json"), at("settings.json")], [true, false])
    read("-regtest", "-nosettings")
    assert.isFalse(at("settings.json"))
    home.write("regtest/settings.json", "{\"dbcache\": 8}")
    assert.strictEqual(read("-regtest").args.integer("dbcache"), 8n)
    assert.isUndefined(read("-regtest", "-nosettings").args.integer("dbcache"))
  })
})

describe("a bitcoin.conf that is not used", () => {
  const conf = () => join(home.base, "elsewhere.conf")
  const around = (words: ReadonlyArray<string>) => ({
    args: read("-regtest", ...words).args,
    base: home.base,
    confFile: conf(),
    typedBase: "/typed"
  })

  it("is no fault where the file that was looked for is not there", () => {
    home.write("bitcoin.conf", "")
    const sameFile = (): boolean => {
      throw new Error("there is nothing to compare")
    }
    assert.deepStrictEqual(ignoredConf({ ...around([]), sameFile }), Result.succeed([]))
  })

  it("ends a start, with what allows it, or is a warning where that was said", () => {
    home.write("bitcoin.conf", "")
    home.write("elsewhere.conf", "")
    const refused = ignoredConf({ ...around([]), sameFile: () => false })
    const text = Result.isFailure(refused) ? refused.failure : ""
    assert.include(text, `from data directory "/typed" is being used instead.`)
    const hint = "\n- Set allowignoredconf=1 option to treat this condition as a warning, not an error."
    assert.isTrue(text.endsWith(hint))
    const allowed = ignoredConf({ ...around(["-allowignoredconf"]), sameFile: () => false })
    assert.deepStrictEqual(
      allowed,
      Result.succeed([{ level: "warning", text: text.slice(0, -hint.length), source: "InitConfig" }])
    )
  })
})

describe("a file system that refuses something", () => {
  const errorOf = (code: string, syscall: string): Error =>
    Object.assign(new Error("why"), { code, syscall, path: "/a" })

  it.each<readonly [string, string, string]>([
    [
      "EACCES",
      "mkdir",
      "cannot create directories: Permission denied [/a]\nGive the user that runs the node the right to write there, or choose another -datadir."
    ],
    ["EROFS", "rename", "cannot rename: Read-only file system [/a]\nMount it for writing, or choose another -datadir."],
    [
      "ENOTDIR",
      "stat",
      "status: Not a directory [/a]\nA part of the path is a file, not a directory: choose another -datadir."
    ],
    ["ENOSPC", "fsync", "fsync: No space left on device [/a]\nFree some space, or choose another -datadir."],
    [
      "EIO",
      "realpath",
      "cannot make canonical path: Input/output error [/a]\nCheck the path, or choose another -datadir."
    ]
  ])("%s of %s is said in Bitcoin Core's words, with what to do", (code, syscall, text) => {
    assert.strictEqual(fileSystemErrorText(errorOf(code, syscall)), `filesystem error: ${text}`)
  })

  it("is named with the option that chooses the path, and any other error is thrown on", () => {
    assert.match(fileSystemErrorText(errorOf("EIO", "stat"), "-blocksdir"), /or choose another -blocksdir\.$/)
    for (const other of [new Error("a fault of the program"), "text"]) {
      let thrown: unknown
      try {
        fileSystemErrorText(other)
      } catch (error) {
        thrown = error
      }
      assert.strictEqual(thrown, other)
    }
  })
})
