import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineFault } from "../../../src/engine/api/engine-error.ts"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import type { Writer } from "../../../src/engine/chainstate/writer.ts"
import { addHeader, headerIndex, setStatus } from "../../../src/engine/header-index/header-index.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { needsReplay, replay } from "../../../src/engine/intake/replay.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot } from "../planted-blocks.ts"
import { testEngine } from "../test-engine.ts"
import { GENESIS_HASH, hashOf, minedChain } from "../../p2p/sync/chain-model.ts"

const CHAIN = minedChain(1_001)

/** Whether a node that starts with so many stored blocks above its tip connects them between calls. */
const isNeeded = (ahead: number, rebuildCoins?: boolean): boolean => {
  const tree = headerIndex(REGTEST.genesisBlock.subarray(0, 80), GENESIS_HASH)
  let last = tree.tip
  for (const header of CHAIN.slice(0, ahead)) {
    last = addHeader(tree, last, header.bytes, hashOf(header))
    setStatus(tree, last, HeaderStatus.STORED | HeaderStatus.LINKED)
  }
  tree.candidates.add(last)
  return needsReplay({ options: { rebuildCoins }, tree } as unknown as ChainEngine)
}

describe("stored blocks at the start", () => {
  it("are connected before calls where they are a thousand at most", () => {
    assert.deepStrictEqual([0, 1_000, 1_001].map((ahead) => isNeeded(ahead)), [false, false, true])
    assert.deepStrictEqual([1_000, 1_001].map((ahead) => isNeeded(ahead, false)), [false, true])
  })

  it("are connected between calls where the coins are made anew, unless there is none", () => {
    assert.deepStrictEqual([0, 1].map((ahead) => isNeeded(ahead, true)), [false, true])
  })
})

describe("the blocks that are connected between calls", () => {
  const connected = Effect.fnUntraced(function*(turns: ReadonlyArray<boolean | EngineFault>, isReplaying = true) {
    const sent: Array<unknown> = []
    const { call, chain } = yield* testEngine({
      directory: yield* temporaryDirectory,
      mockTime: PLANTED_AT,
      news: (news: EngineNotification) => {
        if (news._tag === "Log") sent.push([news.level, news.message, news.fields])
        if (news._tag === "State") sent.push("state")
      }
    })
    for (const { bytes } of plantChain(plantedRoot(), 2)) yield* call("submitBlock", { bytes })
    sent.splice(0)
    const left = [...turns]
    const writer = {
      change: () => {
        const next = left.shift()
        return typeof next === "boolean" ? Effect.succeed(next) : Effect.fail(next)
      }
    } as unknown as Writer
    chain.isReplaying = isReplaying
    yield* replay(chain, writer)
    return { sent, isReplaying: chain.isReplaying, left }
  }, Effect.scoped)

  const begun = ["info", "Stored blocks are connected", { height: 2, to: 2 }]

  it.live("take turns until nothing is left to connect, with a line at the begin and at the end", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* connected([true, true, false, true]), {
        sent: [begun, "state", ["info", "Stored blocks were connected", { height: 2 }]],
        isReplaying: false,
        left: [true]
      })
    }))

  it.live("are none where the start has connected all", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* connected([true, false], false), {
        sent: [],
        isReplaying: false,
        left: [true, false]
      })
    }))

  it.live("are left for the next start after a fault, which the log names unless it is the end of the node", () =>
    Effect.gen(function*() {
      const message = "no such file"
      const ended = "Connecting stored blocks ended early; it goes on at the next start"
      assert.deepStrictEqual(yield* connected([true, { _tag: "StorageFailed", reason: "missing", message }]), {
        sent: [begun, ["error", ended, { cause: message }]],
        isReplaying: true,
        left: []
      })
      for (const fault of [{ _tag: "Closing" }, { _tag: "Broken", cause: "a failure" }] as const) {
        assert.deepStrictEqual(yield* connected([fault]), { sent: [begun], isReplaying: true, left: [] })
      }
    }))
})
