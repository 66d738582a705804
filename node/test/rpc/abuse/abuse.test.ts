import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type AbusedNode, startAbusedNode } from "./abused-node.ts"
import { ABUSES, servesOthers } from "./abuses.ts"
import { until } from "./raw-connection.ts"

/** What the node may take beyond what it needs at rest: what requests may hold, and connections at their limit. */
const MOST_MEMORY = 700 * 1024 * 1024

/** More connections than the node takes, and more of everything than it does at a time. */
const SCALE = 0.5

let abused: AbusedNode
let atRest = 0

beforeAll(async () => {
  abused = await startAbusedNode()
  atRest = abused.memory().now
})

afterAll(() => abused.end())

describe("a running node lives through", () => {
  for (const { run, what } of ABUSES) {
    it(what, async () => {
      const handles = abused.handles()
      await run(abused, SCALE)
      await servesOthers(abused)
      await until("everything that was opened is closed", () => abused.handles() <= handles + 8)
      assert.isBelow(abused.memory().most - atRest, MOST_MEMORY)
    })
  }

  it("all of it, and stops as ever", async () => {
    await abused.node.client.call("stop")
    const { exitCode, stderr, stdout } = await abused.node.ended
    assert.deepStrictEqual([exitCode, stderr], [0, ""])
    assert.notInclude(stdout, "failed inside the node")
  })
})
