import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findFile, searchedFiles } from "../../../src/config/file/find-file.ts"
import { readText } from "../../../src/config/file/read-text.ts"

let root = ""
beforeEach(() => void (root = fs.mkdtempSync(join(tmpdir(), "lockstep-find-"))))
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const at = (...path: ReadonlyArray<string>): string => join(root, ...path)

const MACHINE = { home: "/home/op", directory: "/work", processors: 1 }

describe("where a configuration is looked for", () => {
  it("begins with the working directory and ends with the machine's", () => {
    assert.deepStrictEqual(searchedFiles({}, "~/data", MACHINE), [
      "/work/node.toml",
      "/home/op/data/node.toml",
      "/home/op/.config/lockstep/node.toml",
      "/etc/lockstep/node.toml"
    ])
  })

  it.each([["/xdg", "/xdg"], ["relative", "/home/op/.config"], ["", "/home/op/.config"]])(
    "with XDG_CONFIG_HOME=%j has %s, since a relative one says nothing",
    (variable, base) => {
      assert.include(searchedFiles({ XDG_CONFIG_HOME: variable }, "/d", MACHINE), `${base}/lockstep/node.toml`)
    }
  )

  it("passes over what is no file, is missing, or cannot be looked at", () => {
    fs.mkdirSync(at("directory"))
    fs.writeFileSync(at("file"), "")
    fs.symlinkSync(at("loop"), at("loop"))
    const passed = [at("directory"), at("missing"), at("file", "below"), at("loop"), at("x".repeat(300))]
    assert.isUndefined(findFile(passed))
    fs.symlinkSync(at("file"), at("link"))
    assert.strictEqual(findFile([...passed, at("link"), at("file")]), at("link"))
    assert.isUndefined(findFile([]))
  })
})

const LARGEST = 4 * 1024 * 1024

/** The text of a file, or the line that says why there is none. */
const textOf = (path: string): string =>
  Effect.runSync(Effect.match(readText(path), {
    onFailure: ({ problems }) => problems.join("\n"),
    onSuccess: (text) => `text: ${text}`
  }))

describe("the text of a configuration file", () => {
  it("is what it holds, byte order mark and all", () => {
    for (const text of ["", "a = 1\r\n", "\uFEFFä = \"€\"\n"]) {
      fs.writeFileSync(at("file"), text)
      assert.strictEqual(textOf(at("file")), `text: ${text}`)
    }
  })

  it("is none where the file is larger than 4 MiB", () => {
    fs.writeFileSync(at("file"), "#".repeat(LARGEST))
    assert.lengthOf(textOf(at("file")), LARGEST + "text: ".length)
    fs.writeFileSync(at("file"), "#".repeat(LARGEST + 1))
    assert.strictEqual(textOf(at("file")), `${at("file")}: larger than 4 MiB, so no configuration`)
  })

  it("is none where there is no such file or it is of another kind, which is said", () => {
    fs.mkdirSync(at("directory"))
    fs.writeFileSync(at("file"), "")
    fs.writeFileSync(at("latin1"), Uint8Array.of(0x61, 0xe4))
    fs.symlinkSync(at("loop"), at("loop"))
    const long = at("x".repeat(300))
    const cases: ReadonlyArray<readonly [path: string, reason: string]> = [
      [at("missing"), "no such file"],
      [at("file", "below"), "no such file: a part of the path is not a directory"],
      [at("directory"), "is a directory, not a file"],
      [at("latin1"), "is not UTF-8 text"],
      [at("loop"), "too many symbolic links"],
      [long, "the name is too long"],
      ["/dev/null", "is not a regular file"]
    ]
    for (const [path, reason] of cases) assert.strictEqual(textOf(path), `${path}: ${reason}`)
  })
})
