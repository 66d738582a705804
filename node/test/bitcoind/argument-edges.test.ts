import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { baseDirectory, defaultDirectory, pathOf, under } from "../../src/bitcoind/args/directories.ts"
import { fileSystemErrorText } from "../../src/bitcoind/args/file-system-error.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const given = (...words: ReadonlyArray<string>) =>
  Result.getOrThrowWith(home.read(...words), (message) => new Error(message))

describe("a file system that refuses an operation", () => {
  it.each([
    ["mkdir", "cannot create directories"],
    ["stat", "status"],
    ["lstat", "status"],
    ["rename", "cannot rename"],
    ["realpath", "cannot make canonical path"],
    ["scandir", "directory iterator cannot open directory"],
    ["fsync", "fsync"]
  ])("%s is called %s", (syscall, operation) => {
    const error = Object.assign(new Error("why"), { code: "EIO", syscall, path: "/a" })
    assert.strictEqual(
      fileSystemErrorText(error),
      `filesystem error: ${operation}: Input/output error [/a]\nCheck the path, or choose another -datadir.`
    )
  })

  it.each([
    ["EPERM", "Give the user that runs the node the right to write there, or choose another -datadir."],
    ["EACCES", "Give the user that runs the node the right to write there, or choose another -datadir."],
    ["EROFS", "Mount it for writing, or choose another -datadir."],
    ["ENOTDIR", "A part of the path is a file, not a directory: choose another -datadir."],
    ["ENOSPC", "Free some space, or choose another -datadir."],
    ["ELOOP", "Check the path, or choose another -datadir."]
  ])("for the reason %s has a remedy", (code, remedy) => {
    const error = Object.assign(new Error("why"), { code, syscall: "stat", path: "/a" })
    assert.strictEqual(fileSystemErrorText(error).split("\n")[1], remedy)
  })

  it("without a code or a path is named by what the error says", () => {
    assert.strictEqual(
      fileSystemErrorText(Object.assign(new Error("why"), { syscall: "stat" })),
      "filesystem error: status: why []\nCheck the path, or choose another -datadir."
    )
  })
})

describe("a configuration file", () => {
  it("chooses no chain in a section, whatever its name is", () => {
    home.write("bitcoin.conf", "[other]\nregtest=1\nchain=signet\n[regtest]\nchain=regtest\n")
    assert.strictEqual(given().chain, "main")
  })

  it("has comments also from the first column on, where they may hold what looks like a value", () => {
    home.write("bitcoin.conf", "#par=9\n # par=8\npar=7#par=6\n")
    assert.strictEqual(given("-regtest").args.integer("par"), 7n)
    home.write("bitcoin.conf", "# words alone\n")
    assert.isUndefined(given("-regtest").args.integer("par"))
  })

  it("names another data directory, which has to be there", () => {
    home.write("bitcoin.conf", `datadir=${join(home.machine.home, "other")}\n`)
    const read = home.read("-regtest")
    assert(Result.isFailure(read))
    assert.strictEqual(
      read.failure,
      `Error reading configuration file: specified data directory "${join(home.machine.home, "other")}" does not exist.`
    )
    mkdirSync(join(home.machine.home, "other"))
    assert.strictEqual(given("-regtest").directory, join(home.machine.home, "other", "regtest"))
  })
})

describe("words without a dash", () => {
  it("end a start, by the first of them, also behind a lone dash", () => {
    for (const words of [["stop", "now"], ["-regtest", "stop"]]) {
      const read = home.read(...words)
      assert(Result.isFailure(read), words.join(" "))
      assert.include(
        read.failure,
        "Command line contains unexpected token 'stop', see bitcoind -h for a list of options."
      )
    }
    const odd = home.read("-regtest", "=x")
    assert(Result.isFailure(odd))
    assert.include(odd.failure, "unexpected token '=x'")
  })
})

describe("places of directories", () => {
  const place = { home: "/home/a", directory: "/work", platform: "linux" }

  it("are below the home directory, elsewhere on macOS, and below the root without a home", () => {
    assert.strictEqual(defaultDirectory(place), "/home/a/.bitcoin")
    assert.strictEqual(
      defaultDirectory({ ...place, platform: "darwin" }),
      "/home/a/Library/Application Support/Bitcoin"
    )
    assert.strictEqual(defaultDirectory({ ...place, home: "" }), "/.bitcoin")
  })

  it("are read without slashes at their end, relative to where the program started, and none is empty", () => {
    assert.deepStrictEqual(["a//b/", "/", "//", "", "./a", "a/../b"].map(pathOf), [
      "a/b",
      "/",
      "/",
      undefined,
      "a",
      "b"
    ])
    assert.deepStrictEqual([pathOf(undefined), pathOf(false), pathOf(true)], [undefined, undefined, "1"])
    assert.strictEqual(baseDirectory("a/b", place), "/work/a/b")
    assert.strictEqual(baseDirectory("/a/b/", place), "/a/b")
    assert.strictEqual(baseDirectory("", place), "/home/a/.bitcoin")
    assert.deepStrictEqual([under("/d", "a"), under("/d", "/a")], ["/d/a", "/a"])
  })
})
