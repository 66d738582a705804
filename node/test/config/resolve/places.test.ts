import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { NodeConfig } from "../../../src/config/config.ts"
import { placeProblems } from "../../../src/config/resolve/places.ts"

let root = ""
beforeEach(() => void (root = fs.mkdtempSync(join(tmpdir(), "lockstep-places-"))))
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const at = (...path: ReadonlyArray<string>): string => join(root, ...path)

const problemsOf = (dataDirectory: string, coreBlocks?: string): ReadonlyArray<string> =>
  placeProblems({ dataDirectory, storage: { coreBlocks } } as unknown as NodeConfig)

const notDirectory = (path: string): string => `[storage].data_dir: ${path} is not a directory; choose another path`

describe("the directories that a configuration names", () => {
  it("may be there, or be made where a directory is", () => {
    fs.mkdirSync(at("there"))
    for (const path of [at("there"), at("new"), at("new", "below", "it")]) assert.deepStrictEqual(problemsOf(path), [])
    assert.deepStrictEqual(fs.readdirSync(root), ["there"], "nothing is made")
  })

  it("are none where a file, a loop of links or a name that is too long is in the way, which is named", () => {
    fs.writeFileSync(at("file"), "")
    fs.symlinkSync(at("loop"), at("loop"))
    const long = at("x".repeat(300))
    assert.deepStrictEqual(problemsOf(at("file")), [notDirectory(at("file"))])
    assert.deepStrictEqual(problemsOf(at("file", "below", "it")), [notDirectory(at("file"))])
    assert.deepStrictEqual(problemsOf(at("loop")), [notDirectory(at("loop"))])
    assert.deepStrictEqual(problemsOf(long), [notDirectory(long)])
  })

  // No user may make anything there, the superuser included.
  it.runIf(fs.existsSync("/proc/sys"))("are none where this user may make nothing, which is said", () => {
    for (const path of ["/proc/sys", "/proc/sys/new", "/proc/sys/new/below"]) {
      assert.deepStrictEqual(problemsOf(path), [
        "[storage].data_dir: this user may not write in /proc/sys; choose another path, or change its owner"
      ])
    }
  })

  it("of Bitcoin Core's blocks must be there", () => {
    fs.writeFileSync(at("file"), "")
    assert.deepStrictEqual(problemsOf(root, root), [])
    for (const path of [at("missing"), at("file")]) {
      assert.deepStrictEqual(problemsOf(root, path), [
        `[storage].core_blocks_dir: ${path} is not a directory; name the blocks directory of Bitcoin Core, or leave the key out`
      ])
    }
  })
})
