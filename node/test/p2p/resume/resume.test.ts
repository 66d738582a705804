import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { WAITING_BLOCK_BYTES } from "../../../src/p2p/sync/sync-limits.ts"
import { type MinedFile, minedFile } from "../company/mined-file.ts"
import { wireNodes } from "../sockets/wire-node.ts"
import { resumeRounds } from "./resume-rounds.ts"
import { patience } from "../../process/patience.ts"

const HEIGHT = 600
const ROUNDS = 4
const nodes = wireNodes()
let mined: MinedFile

beforeAll(async () => {
  mined = await minedFile(nodes, HEIGHT)
}, patience(180_000))

afterAll(() => nodes.end())

describe("a node that is killed while it syncs", () => {
  it(
    "fetches nothing again that stood in its block files, and ends with the same coins",
    { timeout: patience(300_000) },
    async () => {
      const options = {
        nodes,
        ...mined,
        rounds: ROUNDS,
        seed: 3,
        length: 600,
        inTransit: 16,
        args: [],
        patience: patience(120_000)
      }
      const rounds = await resumeRounds(options)
      assert.deepStrictEqual(rounds.map(({ storedAgain }) => storedAgain), rounds.map(() => 0))
      for (const { askedAfter, heldBytes, onTheWay, stored } of rounds) {
        assert.isAtMost(askedAfter + stored, HEIGHT + 1)
        assert.isAtMost(onTheWay, 16)
        assert.isAtMost(heldBytes, WAITING_BLOCK_BYTES + 4_000_000)
      }
      // Some died in the middle of it.
      assert.isAbove(rounds.filter(({ stored }) => stored > 1).length, 0)
    }
  )
})
