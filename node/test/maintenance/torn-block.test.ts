import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { loadBlock } from "../../src/engine/validation/load-block.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { maintainedEngine } from "./maintained-engine.ts"

const SECTOR = 512

const request = (blocks: number) => ({
  script: new Uint8Array(2_000).fill(0x51),
  blocks,
  maxTries: 1_000,
  transactions: [],
  submit: true
})

describe("a block behind the last commit that a power cut tore", () => {
  it.live("is passed over without a warning, the whole one before it is taken in, and it may come again", () =>
    Effect.gen(function*() {
      const [directory, older] = [yield* temporaryDirectory, yield* temporaryDirectory]
      yield* Effect.scoped(Effect.flatMap(maintainedEngine(directory), ({ call }) => call("generate", request(3))))
      fs.cpSync(directory, older, { recursive: true })
      const last = yield* Effect.scoped(Effect.gen(function*() {
        const { call, chain } = yield* maintainedEngine(directory)
        yield* call("generate", request(2))
        const { block } = yield* loadBlock(chain, activeAt(chain.tree, 5)!)
        return new Uint8Array(block.bytes)
      }))
      // The database has gone back to height 3; of the last block a sector was never written.
      const file = join("blocks", "blk00000.dat")
      const bytes = fs.readFileSync(join(directory, file))
      // Within the script that it pays to, so that it still has the form of a block.
      const start = Math.floor((bytes.length - 100) / SECTOR - 1) * SECTOR
      assert.isAbove(start, bytes.length - 2_000)
      fs.writeFileSync(join(older, file), bytes.fill(0, start, start + SECTOR))
      const news: Array<EngineNotification> = []
      const engine = yield* maintainedEngine(older, { news: (item) => news.push(item) })
      while (engine.chain.loadingBlocks || engine.chain.tree.tip.height < 4) yield* Effect.sleep("5 millis")
      assert.strictEqual(engine.chain.tree.tip.height, 4)
      const logs = news.flatMap((item) => item._tag === "Log" ? [item] : [])
      assert.deepStrictEqual(logs.filter(({ level }) => level === "warn" || level === "error"), [])
      assert.lengthOf(logs.filter(({ message }) => message.includes("not on disk as a whole")), 1)
      assert.deepStrictEqual(yield* engine.call("submitBlock", { bytes: last }), { result: undefined })
      assert.strictEqual(engine.chain.tree.tip.height, 5)
    }))
})
