import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { type WireNode, wireNodes } from "../sockets/wire-node.ts"
import { ATTACKED, trial } from "./trial.ts"
import { patience } from "../../process/patience.ts"

const HEIGHT = 400
const CONNECTIONS = 150
const SEED = 6

/** Far more than a short attack takes, far less than what would be left of it if nothing were given back. */
const MOST_MEMORY = 400 * 1024 * 1024

const nodes = wireNodes()
let honest: WireNode

beforeAll(async () => {
  honest = await nodes.start("honest")
  await honest.call("generatetoaddress", HEIGHT, OPEN_ADDRESS)
})

afterAll(() => nodes.end())

describe("a node that syncs while very many hostile connections are kept up", () => {
  it(
    "gets there, keeps the honest peer, and has nothing left of the attack",
    { timeout: patience(240_000) },
    async () => {
      const attack = {
        connections: CONNECTIONS,
        seed: SEED,
        bytesPerSecond: 20_000,
        messagesPerSecond: 20,
        retryMilliseconds: 1_000
      }
      const { attacker, inside, log, outside } = await trial({
        nodes,
        honest,
        target: "node",
        attack,
        warmUpSeconds: 2,
        seconds: 10,
        args: ATTACKED
      })
      for (const [what, count] of Object.entries(attacker!.byKind)) assert.isAbove(count, 0, what)
      assert.isAbove(inside.attacked.connections, 20)
      assert.isAtMost(inside.attacked.connections, 90)
      assert.isAtMost(inside.attacked.fibers, inside.attacked.connections + 5)
      assert.deepStrictEqual([inside.after.connections, inside.after.fibers], [1, 1])
      if (outside.before.handles > 0) assert.isAtMost(outside.after.handles, outside.before.handles + 12)
      assert.isBelow(outside.attacked.mostMemory - outside.before.mostMemory, MOST_MEMORY)
      assert.notInclude(log, "a defect in the network layer")
    }
  )
})
