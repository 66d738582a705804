import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const SOURCES = join(import.meta.dirname, "../../node/src")

const UNIT = /^const (?:KIBIBYTE|MEBIBYTE|GIBIBYTE|MEGABYTE|SECOND|MINUTE|HOUR|DAY|WEEK|COIN) = /m

describe("units of bytes, time and money", () => {
  it("are declared in units.ts alone", () => {
    const declaring = globSync("**/*.ts", { cwd: SOURCES }).filter((file) =>
      UNIT.test(readFileSync(join(SOURCES, file), "utf8"))
    )
    assert.deepStrictEqual(declaring, [])
  })

  it("are found where a file declares one", () => assert.match("\nconst HOUR = 3_600\n", UNIT))
})
