import { afterAll, assert, describe, it } from "@effect/vitest"
import { patience } from "../../../process/patience.ts"
import { wireNodes } from "../../sockets/wire-node.ts"
import { junkFaults } from "./report.ts"
import { junkTrial } from "./trial.ts"

const nodes = wireNodes()

afterAll(() => nodes.end())

describe("a node that a hundred peers send junk transactions to", () => {
  it("relays those of honest peers, keeps them, and stays small", { timeout: patience(120_000) }, async () => {
    const trial = await junkTrial({ nodes, peers: 100, transactions: 2_000, seed: 5, honest: 5, everyMs: 500 })
    for (const [what, count] of Object.entries(trial.figures.sent)) assert.strictEqual(count, 200, what)
    assert.strictEqual(trial.relayed.length, 5)
    assert.deepStrictEqual(junkFaults(trial), [])
  })
})
