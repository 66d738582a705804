import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { SLOW_FILES, slowFirst } from "../src/suite/slow-files-first.ts"

const ROOT = join(import.meta.dirname, "../..")

describe("the test files that take longest", () => {
  it.each(SLOW_FILES)("%s is there", (file) => assert.isTrue(existsSync(join(ROOT, file))))

  it("run first, the longest at once, and the others in the order they had", () => {
    const [longest, next] = SLOW_FILES
    assert.deepStrictEqual(slowFirst(["b.test.ts", next!, "a.test.ts", longest!], (file) => file), [
      longest,
      next,
      "b.test.ts",
      "a.test.ts"
    ])
  })
})
