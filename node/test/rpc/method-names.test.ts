import { assert, describe, it } from "@effect/vitest"
import { METHODS } from "../../src/rpc/methods/table.ts"
import { hasVectors, vectorLines } from "./vectors.ts"

/** Methods that Bitcoin Core lists and this one need not have yet, by what they wait for. */
const LATER: Readonly<Record<string, string>> = {
  "private broadcast": "abortprivatebroadcast getprivatebroadcastinfo"
}

const later = new Set(Object.values(LATER).flatMap((names) => names.split(" ")))

/** What Bitcoin Core said to `help`, by names. */
const listed = vectorLines("oracle/rpc/rpc.jsonl.gz").map((line) =>
  JSON.parse(line) as { readonly names?: ReadonlyArray<string> }
)
  .flatMap(({ names }) => names ?? [])

describe.runIf(hasVectors)("the methods that Bitcoin Core lists", () => {
  it("are here, but for those that wait for something", () => {
    assert.isAbove(listed.length, 90)
    assert.deepStrictEqual(listed.filter((name) => !METHODS.has(name) && !later.has(name)), [])
    assert.deepStrictEqual([...later].filter((name) => !listed.includes(name)), [])
  })
})
