import { assert, describe, it } from "@effect/vitest"
import { patience } from "../../process/patience.ts"
import { mempoolCrashRounds } from "./rounds.ts"

// A few of the rounds that `pnpm test:crash --mempool` makes hundreds of.
const ROUNDS = 4

describe("a node that is killed while transactions stream in", () => {
  it("comes back with a valid mempool out of the last save", { timeout: patience(120_000) }, async () => {
    let rounds = 0
    const onRound = () => void rounds++
    await mempoolCrashRounds({ rounds: ROUNDS, seed: 3, onRound })
    assert.strictEqual(rounds, ROUNDS)
  })
})
