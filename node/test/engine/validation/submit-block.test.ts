import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EngineParts } from "../../../src/engine/state/chain-engine.ts"
import { identified } from "../../../src/engine/state/identified-block.ts"
import { loadBlock } from "../../../src/engine/validation/load-block.ts"
import { wrongAsNext } from "../../../src/engine/intake/submit-block.ts"
import { blockOf } from "../../../src/engine/validation/read-block.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { PLANTED_AT, plantChain, plantedRoot, plantOn } from "../planted-blocks.ts"
import { blockOn, decoded, FALSE, matureChain, spend, SUBSIDY, TRUE } from "../spending-blocks.ts"
import { testCrypto, testEngine } from "../test-engine.ts"
import { transactionId } from "@lockstep/kernel/model"

const mature = matureChain(101)
/** Pays to a script that fails, which the block behind it spends. */
const paying = blockOn(mature.at(-1)!.node, [
  spend(mature[0]!.coinbase, 0, [{ value: SUBSIDY - 1n, script: FALSE }, { value: 1n, script: TRUE }])
])
const paid = transactionId(decoded(paying).transactions[1]!, testCrypto)
const NOTHING = [{ value: 0n, script: TRUE }]
const failing = blockOn(paying.node, [spend(paid, 0, NOTHING)])
const holding = blockOn(paying.node, [spend(paid, 1, NOTHING)])
const empty = blockOn(paying.node, [])

/** An engine on the block that pays, with how many jobs each block had whose scripts were verified. */
const opening = Effect.gen(function*() {
  const judged: Array<number> = []
  const counting = (parts: EngineParts): EngineParts => ({
    ...parts,
    pool: {
      ...parts.pool,
      judge: (block, collected) => {
        judged.push(collected.jobs.length)
        return parts.pool.judge(block, collected)
      }
    }
  })
  const engine = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT, parts: counting })
  for (const { bytes } of [...mature, paying]) yield* engine.call("submitBlock", { bytes: bytes.slice() })
  judged.splice(0)
  return { ...engine, judged }
})

type Opened = Effect.Success<typeof opening>

const judgesScriptsAsAsked = Effect.fnUntraced(function*({ chain, judged }: Opened) {
  const wrong = Effect.fnUntraced(function*(bytes: Uint8Array, scripts?: boolean) {
    const found = identified(blockOf(bytes.slice())!, testCrypto)
    const why = yield* wrongAsNext(chain, found, scripts === undefined ? undefined : { scripts, merkleRoot: true })
    return [why?.reason, judged.splice(0)]
  })
  assert.deepStrictEqual(yield* wrong(empty.bytes), [undefined, []])
  assert.deepStrictEqual(yield* wrong(holding.bytes), [undefined, [1]])
  const [reason, jobs] = yield* wrong(failing.bytes)
  assert.match(String(reason), /^block-script-verify-flag-failed/)
  assert.deepStrictEqual(jobs, [1])
  assert.deepStrictEqual(yield* wrong(failing.bytes, false), [undefined, []])
  assert.deepStrictEqual(yield* wrong(failing.bytes, true), [reason, [1]])
  const missing = blockOn(paying.node, [spend(new Uint8Array(32).fill(7), 0, NOTHING)])
  assert.deepStrictEqual(yield* wrong(missing.bytes, false), ["bad-txns-inputs-missingorspent", []])
})

const comparesMerkleRootAsAsked = Effect.fnUntraced(function*({ chain }: Opened) {
  const bytes = empty.bytes.slice()
  bytes[36]! ^= 1
  const found = identified(blockOf(bytes)!, testCrypto)
  const answers = yield* Effect.forEach(
    [true, false],
    (merkleRoot) => Effect.map(wrongAsNext(chain, found, { scripts: true, merkleRoot }), (wrong) => wrong?.reason)
  )
  assert.deepStrictEqual(answers, ["bad-txnmrklroot", undefined])
})

const comparesHeaderAndPlaceFirst = Effect.fnUntraced(function*({ chain, judged }: Opened) {
  const wrong = (change: (view: DataView) => void, { bytes }: { readonly bytes: Uint8Array } = failing) => {
    const changed = bytes.slice()
    change(new DataView(changed.buffer))
    const found = identified(blockOf(changed)!, testCrypto)
    return Effect.map(wrongAsNext(chain, found, { scripts: true, merkleRoot: false }), (why) => why?.reason)
  }
  assert.strictEqual(yield* wrong((view) => view.setUint32(72, 0x207ffffe, true)), "bad-diffbits")
  assert.strictEqual(yield* wrong((view) => view.setUint32(68, 1, true)), "time-too-old")
  // The nonce of the coinbase is the last witness before the lock time.
  const nonce = empty.bytes.length - 5
  assert.strictEqual(yield* wrong((view) => view.setUint8(nonce, 9), empty), "bad-witness-merkle-match")
  assert.deepStrictEqual(judged, [])
})

const answersProposals = Effect.fnUntraced(function*({ call, chain }: Opened) {
  const answer = (bytes: Uint8Array) =>
    Effect.map(call("proposeBlock", { bytes: bytes.slice() }), ({ result }) => result)
  assert.isUndefined(yield* answer(holding.bytes))
  assert.isUndefined(yield* answer(Uint8Array.of(...holding.bytes, 1, 2, 3)))
  assert.match(String(yield* answer(failing.bytes)), /^block-script-verify-flag-failed/)
  assert.strictEqual(yield* answer(paying.bytes), "duplicate")
  assert.strictEqual(yield* answer(plantOn(mature[50]!.node, 3).bytes), "inconclusive-not-best-prevblk")
  assert.deepStrictEqual(yield* Effect.flip(call("proposeBlock", { bytes: holding.bytes.slice(0, -1) })), {
    _tag: "Undecodable",
    what: "block"
  })
  assert.strictEqual(chain.tree.nodes.length, 103)
  yield* call("submitHeader", { bytes: holding.bytes.slice(0, 80) })
  assert.strictEqual(yield* answer(holding.bytes), "duplicate-inconclusive")
  yield* call("submitBlock", { bytes: failing.bytes.slice() })
  assert.strictEqual(yield* answer(failing.bytes), "duplicate-invalid")
})

describe("a block that may be the next one", () => {
  it.live("is validated by its header, its place, its coins and, where asked for, its scripts; proposed, it is not kept", () =>
    Effect.gen(function*() {
      const engine = yield* opening
      yield* judgesScriptsAsAsked(engine)
      yield* comparesMerkleRootAsAsked(engine)
      yield* comparesHeaderAndPlaceFirst(engine)
      yield* answersProposals(engine)
      assert.strictEqual(engine.chain.tree.tip.height, 102)
    }))
})

describe("a block that is submitted", () => {
  const main = plantChain(plantedRoot(), 3)
  const side = plantChain(plantedRoot(), 2, 60)

  it.live("has the verdict on itself as its answer, whatever it makes connect", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const answer = (bytes: Uint8Array) =>
        Effect.map(call("submitBlock", { bytes: bytes.slice() }), ({ result }) => result)
      const bad = plantOn(main[2]!.node, 70, 1n)
      const onBad = plantOn(bad.node, 71)
      for (const { bytes } of [...main, bad, onBad]) yield* call("submitHeader", { bytes: bytes.slice(0, 80) })
      assert.strictEqual(yield* answer(onBad.bytes), "inconclusive", "its ancestors are not here")
      assert.strictEqual(yield* answer(bad.bytes), "inconclusive")
      assert.isUndefined(yield* answer(main[0]!.bytes))
      assert.strictEqual(yield* answer(main[0]!.bytes), "duplicate")
      assert.strictEqual(yield* answer(side[0]!.bytes), "inconclusive", "of no more work than the tip")
      assert.strictEqual(yield* answer(main[2]!.bytes), "inconclusive")
      assert.isUndefined(yield* answer(main[1]!.bytes), "an invalid one is behind it")
      assert.deepStrictEqual(chain.tree.tip.hash, main[2]!.node.hash)
      assert.strictEqual(yield* answer(bad.bytes), "duplicate-invalid")
      assert.strictEqual(yield* answer(plantOn(bad.node, 72).bytes), "bad-prevblk")
      assert.strictEqual(yield* answer(plantOn(main[2]!.node, 73, 1n).bytes), "bad-cb-amount")
      const easy = plantOn(main[2]!.node, 74).bytes
      while (testCrypto.sha256d(easy.subarray(0, 80))[31]! < 0x80) easy[76]!++
      assert.strictEqual(yield* answer(easy), "high-hash")
      assert.deepStrictEqual(yield* Effect.flip(call("submitBlock", { bytes: bad.bytes.slice(0, 85) })), {
        _tag: "Undecodable",
        what: "block"
      })
    }))

  it.live("is given the witness that a miner's software may leave out, from where segwit is in force", () =>
    Effect.gen(function*() {
      /** A block of a coinbase alone without the witness of that: marker, flag, and 34 bytes before the lock time. */
      const bare = (bytes: Uint8Array) =>
        Uint8Array.of(...bytes.subarray(0, 85), ...bytes.subarray(87, -38), ...bytes.subarray(-4))
      for (const [segwit, hasWitness] of [[0, true], [1, true], [2, false]] as const) {
        const { call, chain } = yield* testEngine({
          directory: yield* temporaryDirectory,
          mockTime: PLANTED_AT,
          options: { activationHeights: { segwit } }
        })
        const { result } = yield* call("submitBlock", { bytes: bare(main[0]!.bytes) })
        assert.isUndefined(result)
        const { block } = yield* loadBlock(chain, chain.tree.tip)
        assert.strictEqual(block.transactions[0]!.hasWitness, hasWitness, `segwit from ${segwit}`)
      }
    }))
})
