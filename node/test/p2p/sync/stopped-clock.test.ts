import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CONNECTION_LIMITS } from "../../../src/p2p/connections/connection-limits.ts"
import { LINES, rateLimitedLog, WINDOW } from "../../../src/p2p/peer/rate-limited-log.ts"
import { machineClock } from "../../../src/p2p/basics/environment.ts"
import { gateOfSilentPeers } from "../connections/silent-peers.ts"
import { chainModel, type ChainModel, minedChain } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const CHAIN = minedChain(200)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400

/** Its node's clock stands where it is; the machine's goes on. */
const stopped = (): ChainModel => {
  const model = chainModel(LATER)
  const { environment } = model.context
  const at = model.clock
  Object.assign(model.context, { environment: { ...environment, now: () => at, machine: () => model.clock } })
  return model
}

describe("while the node's clock stands", () => {
  it.effect("a sync goes on after a refusal of the engine, and says how far it is", () =>
    Effect.gen(function*() {
      const model = stopped()
      const session = yield* syncSession(model)
      session.add("outbound-full-relay", CHAIN).rate = 10
      yield* session.pass(1_000)
      model.isRefusing = true
      yield* session.pass(1_000)
      model.isRefusing = false
      yield* session.pass(120_000)
      assert.strictEqual(model.chain.tree.tip.height, 200)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))

  it("inbound peers make room for others in every second of the machine's clock", () => {
    const model = stopped()
    const { come } = gateOfSilentPeers(model.context, 10)
    for (let i = 0; i < 10 + CONNECTION_LIMITS.evictionRate.most; i++) assert.isUndefined(come())
    assert.strictEqual(come(), "full")
    model.clock += 1_000
    assert.isUndefined(come())
  })

  it("lines of the log are counted by the machine's clock", () => {
    const model = stopped()
    const lines: Array<string> = []
    const log = rateLimitedLog((_level, message) => void lines.push(message), machineClock(model.context.environment))
    for (let i = 0; i <= LINES; i++) log("kind", "info", "a line")
    assert.strictEqual(lines.length, LINES)
    model.clock += WINDOW
    log("kind", "info", "another line")
    assert.strictEqual(lines.at(-1), "another line")
  })
})
