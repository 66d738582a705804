import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { AREAS } from "../src/mutation/areas/all-areas.ts"
import { isOfArea } from "../src/mutation/areas/area.ts"
import { faultsOfArea } from "../src/mutation/areas/fault.ts"
import { matchEquivalents, readEquivalents } from "../src/mutation/equivalents.ts"

const ROOT = join(import.meta.dirname, "../..")

describe("the list of equivalents", () => {
  it.each(AREAS)("names only faults that there are in $name", (area) => {
    const entries = readEquivalents(ROOT).filter(({ file }) => isOfArea(area, file))
    assert.deepStrictEqual(matchEquivalents(entries, faultsOfArea(ROOT, area), new Map(), false).faults, [])
  })
})
