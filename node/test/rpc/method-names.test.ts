import { assert, describe, it } from "@effect/vitest"
import { METHODS } from "../../src/methods/table.ts"
import { hasVectors, vectorLines } from "./vectors.ts"

/** What Bitcoin Core said to `help`, by names. */
const listed = vectorLines("oracle/rpc/rpc.jsonl.gz").map((line) =>
  JSON.parse(line) as { readonly names?: ReadonlyArray<string> }
)
  .flatMap(({ names }) => names ?? [])

describe.runIf(hasVectors)("the methods that Bitcoin Core lists (needs recorded data: LOCKSTEP_VECTORS)", () => {
  it("are all here", () => {
    assert.isAbove(listed.length, 90)
    assert.deepStrictEqual(listed.filter((name) => !METHODS.has(name)), [])
  })
})
