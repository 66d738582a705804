import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { GENERATED } from "../src/make-vectors/generated.ts"
import { fileText, pathOf } from "../src/make-vectors/vector.ts"
import { WORKSPACE } from "../src/workspace.ts"

describe("vectors that are made by a program", () => {
  it.each(GENERATED.map((vectors) => [vectors.rule, vectors] as const))(
    "%s is what the program writes",
    (rule, vectors) => {
      assert.strictEqual(readFileSync(join(WORKSPACE, "vectors", pathOf(rule)), "utf8"), fileText(vectors))
    }
  )
})
