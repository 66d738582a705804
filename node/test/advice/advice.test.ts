import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { patience } from "../process/patience.ts"
import { commandsByHand, commandsNamed } from "./advice-in-sources.ts"
import { type AdvisedNode, copyOf, grownNode } from "./advised-node.ts"
import { COMMAND_ADVICE } from "./command-advice.ts"
import { EXAMPLE_ADVICE } from "./example-advice.ts"
import { prune, STORAGE_ADVICE } from "./storage-advice.ts"

const ADVICE = [...STORAGE_ADVICE, ...COMMAND_ADVICE, ...EXAMPLE_ADVICE]

describe("a message that names a command", () => {
  it("has an entry here, and no entry is left over", () => {
    assert.deepStrictEqual(
      [...new Set(commandsNamed())].toSorted(),
      [...new Set(ADVICE.map(({ source }) => source))].toSorted()
    )
  })

  it("names it as it can be typed, never by a name spelled out", () => {
    assert.deepStrictEqual(commandsByHand(), [])
  })
})

describe("following the advice helps", { timeout: patience(120_000) }, () => {
  let grown: Awaited<ReturnType<typeof grownNode>>
  let pruned: AdvisedNode

  beforeAll(async () => {
    grown = await grownNode()
    pruned = copyOf(grown)
    await prune(pruned)
  }, patience(60_000))

  afterAll(async () => {
    await grown.stopShared()
    grown.remove()
    pruned.remove()
  }, patience(60_000))

  for (const { begins, command, helps, name, produce, source } of ADVICE) {
    it(`${name} (${source.slice(0, source.indexOf(":"))})`, async () => {
      const place = copyOf(begins === undefined ? grown : pruned)
      try {
        const text = await produce(place)
        const [, advised] = command.exec(text) ?? []
        if (advised === undefined) return assert.fail(`no ${command} in: ${text}`)
        await helps(place, advised)
      } finally {
        place.remove()
      }
    })
  }
})
