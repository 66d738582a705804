import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { patience } from "../process/patience.ts"
import { withoutPrivileges } from "../process/without-privileges.ts"
import type { Opened } from "./store-program.ts"

const PROGRAM = fileURLToPath(new URL("store-program.ts", import.meta.url))

/** Where a store opens although something of it may not be written: LevelDB writes no file again, only new ones. */
const OPENS = new Set([
  "^$ of heed3",
  "^CURRENT$ of leveldb",
  "^MANIFEST- of leveldb",
  "\\.log$ of leveldb",
  "\\.ldb$ of leveldb"
])

describe("a store that rights or a directory keep the node from", () => {
  let all: ReadonlyArray<Opened>

  beforeAll(async () => {
    const [program, words] = withoutPrivileges(process.execPath, ["--no-warnings", PROGRAM])
    const { stdout } = await promisify(execFile)(program, [...words])
    all = JSON.parse(stdout) as ReadonlyArray<Opened>
  }, patience(120_000))

  it("is an error that names it, or opens; it is never taken for damaged or absent, nor moved away", () => {
    assert.lengthOf(all, 2 + 3 + 2 + 5 * 3)
    for (const { beside, condition, engine, hasEntry, kind, message, reason } of all) {
      const name = `${kind} of ${engine}`
      const about = `${name}, ${condition}: ${message}`
      assert.deepStrictEqual(beside, [], about)
      if (condition === "unwritable" && OPENS.has(name)) {
        assert.isTrue(hasEntry, about)
        continue
      }
      assert.strictEqual(reason, "io", about)
      assert.include(message, `store-${engine}`, about)
      assert.match(
        message,
        condition === "a directory"
          ? /it is a directory, not a file/
          : /permission (?:is )?denied.*Give the user that runs the node the right/i,
        about
      )
    }
  })
})
