import { assert, describe, it } from "vitest"
import type { Collected } from "@lockstep/kernel/connect"
import { undoCodec } from "../../../src/storage/block-files/undo-codec.ts"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { identified } from "../../../src/engine/state/identified-block.ts"
import type { ChainHook } from "../../../src/engine/state/chain-hook.ts"
import {
  type ConnectingBlock,
  decodedBlock,
  listeners,
  releaseBuffers,
  retain,
  rollBack
} from "../../../src/engine/validation/connecting-block.ts"
import { blockOf } from "../../../src/engine/validation/read-block.ts"
import { plantedRoot, plantOn } from "../planted-blocks.ts"
import { testCrypto } from "../test-engine.ts"

const { bytes } = plantOn(plantedRoot(), 1)
const found = identified(blockOf(bytes)!, testCrypto)
const UNDO = { spent: [[{ value: 3n, script: Uint8Array.of(0x51), height: 1, isCoinbase: false }]], replaced: [] }
const collected = { failure: undefined, jobs: [1, 2, 3], undo: UNDO } as unknown as Collected

const engineWith = (...hooks: ReadonlyArray<ChainHook>): ChainEngine =>
  ({ crypto: testCrypto, undoCodec: undoCodec(), hooks }) as unknown as ChainEngine

const connected = (): void => undefined
const LISTENING: ChainHook = { connected }
const BUSY: ChainHook = { connected, isIdle: () => false }
const IDLE: ChainHook = { connected, isIdle: () => true }
const OTHER: ChainHook = { committed: () => undefined, isIdle: () => false }

describe("the hooks that are told of a block", () => {
  it("are those that subscribe and are not idle, in their order", () => {
    assert.deepStrictEqual(listeners(engineWith(OTHER, BUSY, IDLE, LISTENING)), [BUSY, LISTENING])
    assert.deepStrictEqual(listeners(engineWith()), [])
  })
})

describe("what is kept of a block until it is connected", () => {
  it("is its bytes and undo data, and the block itself only for hooks that read it", () => {
    const undo = undoCodec().encode(UNDO)
    const facts = { bytes, undo, transactions: 1, failure: undefined, jobs: 3 }
    for (const hooks of [[], [IDLE], [OTHER]]) {
      assert.deepStrictEqual(retain(engineWith(...hooks), found, collected), { ...facts, decoded: undefined })
    }
    for (const hooks of [[BUSY], [IDLE, LISTENING]]) {
      const { decoded, ...rest } = retain(engineWith(...hooks), found, collected)
      assert.deepStrictEqual(rest, facts)
      assert.strictEqual(decoded?.found, found)
      assert.strictEqual(decoded?.undo, UNDO)
    }
  })

  it("gives the same block again", () => {
    const engine = engineWith()
    const step = retain(engine, found, collected) as unknown as ConnectingBlock
    const again = decodedBlock(engine, step)
    assert.deepStrictEqual([again.found.block.bytes, again.found.identity], [bytes, found.identity])
    assert.deepStrictEqual(again.undo, UNDO)
    const held = { found, undo: UNDO }
    assert.strictEqual(decodedBlock(engine, { ...step, decoded: held }), held)
  })
})

describe("the memory of a connected block", () => {
  const step = (more: Partial<ConnectingBlock> = {}) =>
    ({
      bytes: new Uint8Array(50),
      undo: new Uint8Array(20),
      decoded: undefined,
      isAlone: true,
      ...more
    }) as ConnectingBlock
  const sizes = (released: ConnectingBlock) => {
    releaseBuffers(released)
    return [released.bytes.length, released.undo.length]
  }

  it("is given back where nothing else refers to it", () => {
    assert.deepStrictEqual(sizes(step()), [0, 0])
  })

  it("stays where others may read it, or where it is a part of something larger", () => {
    assert.deepStrictEqual(sizes(step({ isAlone: false })), [50, 20])
    assert.deepStrictEqual(sizes(step({ decoded: { found, undo: UNDO } })), [50, 20])
    assert.deepStrictEqual(sizes(step({ bytes: new Uint8Array(51).subarray(0, 50) })), [50, 0])
    assert.deepStrictEqual(sizes(step({ undo: new Uint8Array(new ArrayBuffer(21), 1) })), [0, 20])
    assert.deepStrictEqual(sizes(step({ bytes: new Uint8Array(new SharedArrayBuffer(50)) })), [50, 0])
  })
})

describe("a block that is taken back", () => {
  it("has changed nothing where it broke a rule, and is a defect where its coins are not as it left them", () => {
    const engine = { ...engineWith(), coins: { coinAt: () => undefined, apply: () => assert.fail("applied") } }
    const kept = { ...retain(engine as unknown as ChainEngine, found, collected), node: { height: 1 } }
    const failure = { rule: "BLK-018" } as unknown as ConnectingBlock["failure"]
    rollBack(engine as unknown as ChainEngine, { ...kept, failure } as ConnectingBlock)
    assert.throws(
      () => rollBack(engine as unknown as ChainEngine, kept as ConnectingBlock),
      /^a block under way does not fit the coins it has changed$/
    )
  })
})
