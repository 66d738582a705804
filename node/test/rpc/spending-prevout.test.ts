import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { activeAt } from "../../src/engine/header-index/active-chain.ts"
import { loadUndo } from "../../src/engine/validation/disconnect.ts"
import { loadBlock } from "../../src/engine/validation/load-block.ts"
import { pool } from "../../src/engine/mempool/mempool-extension.ts"
import { displayHash, hexOf } from "../../src/hex.ts"
import { indexes } from "../../src/indexes/indexes.ts"
import { coinbaseAt, idOf, loose, mine, outputOf, rawOf } from "../engine/mempool/loose-transactions.ts"
import { PLANTED_AT } from "../engine/planted-blocks.ts"
import { testEngine } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { asked } from "./mempool-server.ts"

const REWARD = 5_000_000_000n

/** A chain whose newest block spends the first coinbase; the mempool spends an output of that transaction. */
const node = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const engine = yield* testEngine({
    directory,
    options: { spenderIndex: true },
    extensions: [indexes, pool],
    mockTime: PLANTED_AT
  })
  yield* mine(engine, 102)
  const coinbase = yield* coinbaseAt(engine, 1)
  const parent = loose({ inputs: [coinbase], values: [REWARD / 2n, REWARD / 2n - 10_000n] })
  yield* mine(engine, 1, [parent])
  const child = loose({ inputs: [outputOf(parent)], values: [REWARD / 2n - 10_000n] })
  assert.strictEqual((yield* engine.call("acceptTransaction", { bytes: rawOf(child) }))._tag, "Accepted")
  const shown = ({ txid, vout }: { readonly txid: Uint8Array; readonly vout: number }) => ({
    txid: displayHash(txid),
    vout
  })
  return {
    ...(yield* asked({ directory, chain: fakeChain(engine.handlers) })),
    block: displayHash(activeAt(engine.chain.tree, 103)!.hash),
    child,
    confirmed: shown(coinbase),
    engine,
    free: shown(outputOf(parent, 1)),
    parent,
    pooled: shown(outputOf(parent))
  }
})

describe("gettxspendingprevout with the index of spent outputs", () => {
  it.live("finds spenders of the mempool first, then those of the chain with their blocks", () =>
    Effect.gen(function*() {
      const { block, child, confirmed, free, parent, pooled, result } = yield* node
      const [childId, parentId] = [displayHash(idOf(child)), displayHash(idOf(parent))]
      const outputs = [confirmed, free, pooled]
      assert.deepStrictEqual(yield* result("gettxspendingprevout", outputs), [
        { ...pooled, spendingtxid: childId },
        { ...confirmed, spendingtxid: parentId, blockhash: block },
        free
      ])
      assert.deepStrictEqual(yield* result("gettxspendingprevout", outputs, { mempool_only: true }), [
        confirmed,
        free,
        { ...pooled, spendingtxid: childId }
      ])
      assert.deepStrictEqual(
        yield* result("gettxspendingprevout", [confirmed], { return_spending_tx: true, mempool_only: false }),
        [{ ...confirmed, spendingtxid: parentId, spendingtx: hexOf(parent.bytes), blockhash: block }]
      )
    }))

  it.live("waits for the index where the tip is known already, and its block has yet to reach the index", () =>
    Effect.gen(function*() {
      const { block, confirmed, engine: { chain }, parent, result } = yield* node
      const { tip } = chain.tree
      const found = yield* loadBlock(chain, tip)
      const step = {
        node: tip,
        block: found.block,
        transactionIds: found.identity.transactionIds,
        undo: yield* loadUndo(chain, tip)
      }
      const hooks = chain.hooks.filter(({ neededFrom }) => neededFrom !== undefined)
      assert.isNotEmpty(hooks)
      for (const hook of hooks) hook.disconnected?.(step)
      const asking = yield* Effect.forkChild(result("gettxspendingprevout", [confirmed]), { startImmediately: true })
      yield* Effect.sleep("50 millis")
      for (const hook of hooks) hook.connected?.(step)
      assert.deepStrictEqual(yield* Fiber.join(asking), [
        { ...confirmed, spendingtxid: displayHash(idOf(parent)), blockhash: block }
      ])
    }))

  it.live("shows an output as unspent once its spender's block is disconnected and the mempool lacks it", () =>
    Effect.gen(function*() {
      const { block, child, confirmed, engine, parent, pooled, result } = yield* node
      yield* engine.call("invalidateBlock", { hash: new Uint8Array(Buffer.from(block, "hex").reverse()) })
      assert.deepStrictEqual(yield* result("gettxspendingprevout", [confirmed, pooled]), [
        { ...confirmed, spendingtxid: displayHash(idOf(parent)) },
        { ...pooled, spendingtxid: displayHash(idOf(child)) }
      ])
      const other = loose({ inputs: [yield* coinbaseAt(engine, 1)], values: [REWARD - 20_000n] })
      yield* mine(engine, 1, [other])
      const tip = displayHash(engine.chain.tree.tip.hash)
      assert.deepStrictEqual(yield* result("gettxspendingprevout", [confirmed, pooled]), [
        { ...confirmed, spendingtxid: displayHash(idOf(other)), blockhash: tip },
        pooled
      ])
    }))
})
