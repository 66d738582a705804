import { assert, describe, it } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../../src/engine/header-index/header-status.ts"
import { clearStatus, setStatus } from "../../../src/engine/header-index/header-index.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { compactForms } from "../../../src/p2p/sync/compact-blocks/compact-forms.ts"
import { servePolicies, servePolicy } from "../../../src/p2p/serving/deny-list.ts"
import { filterCounts } from "../../../src/p2p/serving/filter-figures.ts"
import { type BlockServing, serveBlock } from "../../../src/p2p/serving/serve-block.ts"
import { serveBlockTransactions } from "../../../src/p2p/serving/serve-block-transactions.ts"
import { serveHeaders, serveInventory } from "../../../src/p2p/serving/serve-headers.ts"
import { uploadTarget } from "../../../src/p2p/serving/upload-target.ts"
import { type StillChain, stillChain } from "../peer/still-chain.ts"
import { chainModel, minedHeader, type ScriptedPeer, scriptedPeer } from "../sync/chain-model.ts"

const { BLOCK, COMPACT_BLOCK, FILTERED_BLOCK, WITNESS_BLOCK } = InventoryType
const { NETWORK, NETWORK_LIMITED } = ServiceFlag
const DAY = 86_400
const ZERO = new Uint8Array(32)

/** Every block has the one transaction of genesis; each is ten minutes younger than the one before. */
const blockOn = (parent: HeaderIndexNode): Uint8Array =>
  Uint8Array.from([
    ...minedHeader(parent.hash, parent.header.time + 600, 0).bytes,
    ...REGTEST.genesisBlock.subarray(80)
  ])

/** A node with so many blocks, seconds after the last of them, that has not reached its upload target. */
const made = Effect.fnUntraced(function*(
  { age = 60, blocks = 20, minimumChainWork = 0n, services = NETWORK, servesHistoricalBlocks = true } = {}
) {
  const chain: StillChain = stillChain()
  for (let i = 0; i < blocks; i++) chain.extend(blockOn(chain.tree.tip))
  const model = chainModel(chain.tree.tip.header.time + age, minimumChainWork)
  const context = { ...model.context, chain, services: () => services }
  const policy = servePolicy()
  const policies = servePolicies()
  policies.add(policy)
  const upload = { ...uploadTarget(0, () => 0, 600), servesHistoricalBlocks: () => servesHistoricalBlocks }
  const serving: BlockServing = {
    context,
    policies,
    upload,
    filterOf: () => undefined,
    forms: yield* compactForms(context),
    counts: filterCounts()
  }
  const at = (height: number): HeaderIndexNode => chain.tree.nodes[height]!
  return {
    at,
    chain,
    context,
    policy,
    serving,
    /** What a peer gets that requests a block of this type. */
    got: Effect.fnUntraced(
      function*(node: HeaderIndexNode, type: number = WITNESS_BLOCK, peer: ScriptedPeer = scriptedPeer(1, "inbound")) {
        yield* serveBlock(serving, peer, { type, hash: node.hash })
        return peer.gone?.reason ?? peer.sent.map(({ command }) => command).join()
      }
    ),
    /** What one gets that requests transactions of a block. */
    gotTransactions: Effect.fnUntraced(function*(block: Uint8Array, indexes: ReadonlyArray<number> = [0]) {
      const peer: ScriptedPeer = scriptedPeer(1, "inbound")
      yield* serveBlockTransactions(serving, peer, { command: "getblocktxn", block, indexes })
      return peer.gone?.reason ??
        peer.sent.map((message) => message.command === "blocktxn" ? message.transactions.length : message.command)
          .join()
    })
  }
})

describe("transactions of a block that a peer lacks", () => {
  it.effect("are sent of the last ten blocks; of a deeper one the whole block is", () =>
    Effect.gen(function*() {
      const { at, gotTransactions } = yield* made()
      assert.strictEqual(yield* gotTransactions(at(20).hash), "1")
      assert.strictEqual(yield* gotTransactions(at(10).hash, [0, 0]), "2")
      assert.strictEqual(yield* gotTransactions(at(9).hash), "block")
    }))

  it.effect("that the block has not are held against the peer", () =>
    Effect.gen(function*() {
      const { at, gotTransactions } = yield* made()
      assert.strictEqual(yield* gotTransactions(at(20).hash, [0, 1]), "getblocktxn with out-of-bounds tx indices")
    }))

  it.effect("are not sent of a block that is unknown, not here, listed, or cannot be read", () =>
    Effect.gen(function*() {
      const { at, chain, gotTransactions, policy } = yield* made()
      assert.strictEqual(yield* gotTransactions(ZERO), "")
      clearStatus(chain.tree, at(20), HeaderStatus.STORED)
      assert.strictEqual(yield* gotTransactions(at(20).hash), "")
      policy.blocks.merge([at(19).hash])
      assert.strictEqual(yield* gotTransactions(at(19).hash), "")
      chain.blocks.delete(at(18))
      assert.strictEqual(yield* gotTransactions(at(18).hash), "")
      chain.blocks.set(at(17), Uint8Array.of(1))
      assert.strictEqual(yield* gotTransactions(at(17).hash), "")
      policy.isMaintenance = true
      assert.strictEqual(yield* gotTransactions(at(16).hash), "")
    }))

  it.effect("come from the newest block without reading it again", () =>
    Effect.gen(function*() {
      const { at, chain, gotTransactions, serving } = yield* made()
      yield* serving.forms.of(at(20))
      chain.blocks.clear()
      assert.strictEqual(yield* gotTransactions(at(20).hash), "1")
    }))
})

describe("a block that is requested", () => {
  it.effect("as a compact one is sent so up to five below the tip, while the tip is new", () =>
    Effect.gen(function*() {
      const { at, got } = yield* made()
      assert.strictEqual(yield* got(at(15), COMPACT_BLOCK), "cmpctblock")
      assert.strictEqual(yield* got(at(14), COMPACT_BLOCK), "block")
      // Twenty intervals of ten minutes.
      const young = yield* made({ age: 11_999 })
      assert.strictEqual(yield* young.got(young.at(20), COMPACT_BLOCK), "cmpctblock")
      const old = yield* made({ age: 12_000 })
      assert.strictEqual(yield* old.got(old.at(20), COMPACT_BLOCK), "block")
      assert.strictEqual(yield* old.got(old.at(20), BLOCK), "block")
    }))

  it.effect("ends the connection where it cannot be read", () =>
    Effect.gen(function*() {
      const { at, chain, got } = yield* made()
      chain.blocks.clear()
      for (const type of [WITNESS_BLOCK, COMPACT_BLOCK, BLOCK]) {
        assert.strictEqual(yield* got(at(19), type), "a requested block cannot be read")
      }
    }))

  it.effect("is not sent where it is not here, nor as a filtered one without a filter", () =>
    Effect.gen(function*() {
      const { at, chain, got } = yield* made()
      assert.strictEqual(yield* got(at(20), FILTERED_BLOCK), "")
      clearStatus(chain.tree, at(19), HeaderStatus.STORED)
      assert.strictEqual(yield* got(at(19)), "")
    }))

  it.effect("ends the connection when it is more than a week old, where what is left today is for new ones", () =>
    Effect.gen(function*() {
      const over = "historical block serving limit reached"
      // A week is 1,008 blocks.
      const { at, got } = yield* made({ blocks: 1_010, servesHistoricalBlocks: false })
      assert.strictEqual(yield* got(at(2)), "block")
      assert.strictEqual(yield* got(at(1)), over)
      assert.strictEqual(yield* got(at(1_010), FILTERED_BLOCK), over)
      const free = scriptedPeer(2, "inbound")
      assert.strictEqual(yield* got(at(1), WITNESS_BLOCK, Object.assign(free, { isTrusted: true })), "block")
      const permitted = Object.assign(scriptedPeer(3, "inbound"), { permissions: new Set(["download"]) })
      assert.strictEqual(yield* got(at(1), WITNESS_BLOCK, permitted), "block")
      const rich = yield* made({ blocks: 1_010 })
      assert.strictEqual(yield* rich.got(rich.at(1)), "block")
    }))

  it.effect("ends the connection when it is more than 290 below the tip of a limited node", () =>
    Effect.gen(function*() {
      const deep = "it asks for blocks below what a limited node serves"
      const { at, got } = yield* made({ blocks: 300, services: NETWORK_LIMITED })
      assert.strictEqual(yield* got(at(10)), "block")
      assert.strictEqual(yield* got(at(9)), deep)
      const trusted = Object.assign(scriptedPeer(2, "inbound"), { isTrusted: true })
      assert.strictEqual(yield* got(at(9), WITNESS_BLOCK, trusted), "block")
      for (const services of [NETWORK_LIMITED | NETWORK, 0n]) {
        const other = yield* made({ blocks: 300, services })
        assert.strictEqual(yield* other.got(other.at(9)), "block")
      }
    }))
})

describe("headers that are requested", () => {
  it.effect("are none while the chain has too little work, unless the peer is trusted or may download", () =>
    Effect.gen(function*() {
      const { chain } = yield* made()
      const { chainWork } = chain.tree.tip
      for (
        const [minimumChainWork, more, count] of [
          [chainWork, {}, 20],
          [chainWork + 1n, {}, 0],
          [chainWork + 1n, { isTrusted: true }, 20],
          [chainWork + 1n, { permissions: new Set(["download" as const]) }, 20]
        ] as ReadonlyArray<readonly [bigint, Partial<ScriptedPeer>, number]>
      ) {
        const { at, context } = yield* made({ minimumChainWork })
        const peer = Object.assign(scriptedPeer(1, "inbound"), more)
        const last = serveHeaders(context, peer, {
          command: "getheaders",
          version: 1,
          locator: [at(0).hash],
          stop: ZERO
        })
        const [message] = peer.sent
        assert.strictEqual(message?.command === "headers" ? message.headers.length : -1, count)
        assert.strictEqual(last?.height, count === 0 ? undefined : 20)
      }
    }))

  it.effect("without a locator are the one that is named, where it may be served", () =>
    Effect.gen(function*() {
      const { at, chain, context } = yield* made()
      const asked = (stop: Uint8Array) => {
        const peer = scriptedPeer(1, "inbound")
        const last = serveHeaders(context, peer, { command: "getheaders", version: 1, locator: [], stop })
        return [last?.height, peer.sent.length]
      }
      assert.deepStrictEqual(asked(at(7).hash), [7, 1])
      assert.deepStrictEqual(asked(ZERO), [undefined, 0])
      assert.deepStrictEqual(asked(new Uint8Array(32).fill(1)), [undefined, 0])
      const side = chain.extend(Uint8Array.from(blockOn(at(7))).with(36, 1), at(7))
      clearStatus(chain.tree, side, HeaderStatus.CONNECTED)
      assert.deepStrictEqual(asked(side.hash), [undefined, 0])
    }))
})

describe("a stale block that was never connected", () => {
  it.effect("is not served, and the log says so", () =>
    Effect.gen(function*() {
      const { at, chain, got, serving } = yield* made()
      const side = chain.extend(Uint8Array.from(blockOn(at(7))).with(36, 1), at(7))
      clearStatus(chain.tree, side, HeaderStatus.CONNECTED)
      const lines: Array<unknown> = []
      const { notify } = serving.context
      Object.assign(notify, { trace: (happening: unknown) => void lines.push(happening) })
      assert.strictEqual(yield* got(side), "")
      assert.strictEqual(yield* got(at(7)), "block")
      assert.deepStrictEqual(lines, [{ _tag: "OldBlockRequested", peer: 1 }])
    }))
})

describe("blocks that are named", () => {
  const named = (context: Parameters<typeof serveInventory>[0], from: Uint8Array, stop: Uint8Array = ZERO) => {
    const peer = scriptedPeer(1, "inbound")
    const { isCut, nodes } = serveInventory(context, peer, { command: "getblocks", version: 1, locator: [from], stop })
    return [nodes.at(0)?.height, nodes.at(-1)?.height, isCut, peer.sent.length]
  }

  it.effect("are 500 at most, up to the one to stop at", () =>
    Effect.gen(function*() {
      const { at, context } = yield* made({ blocks: 502 })
      assert.deepStrictEqual(named(context, at(0).hash), [1, 500, true, 1])
      assert.deepStrictEqual(named(context, at(3).hash), [4, 502, false, 1])
      assert.deepStrictEqual(named(context, at(3).hash, at(6).hash), [4, 5, false, 1])
      assert.deepStrictEqual(named(context, at(3).hash, at(4).hash), [undefined, undefined, false, 0])
      assert.deepStrictEqual(named(context, at(502).hash), [undefined, undefined, false, 0])
    }))

  it.effect("of a pruned node are the last 282, which it will have for an hour", () =>
    Effect.gen(function*() {
      const { at, chain, context } = yield* made({ blocks: 300 })
      assert.deepStrictEqual(named(context, at(10).hash), [11, 300, false, 1])
      chain.set({ pruned: true })
      assert.deepStrictEqual(named(context, at(18).hash), [19, 300, false, 1])
      assert.deepStrictEqual(named(context, at(17).hash), [undefined, undefined, false, 0])
    }))
})

describe("the upload target", () => {
  it("counts what is sent in a day, and starts anew after it", () => {
    const clock = { now: 5_000 }
    const upload = uploadTarget(900_000_000, () => clock.now, 600)
    assert.deepStrictEqual([upload.target, upload.window], [900_000_000, 86_400_000])
    upload.count(899_999_999)
    assert.deepStrictEqual([upload.reached(), upload.bytesLeft()], [false, 1])
    upload.count(1)
    assert.deepStrictEqual([upload.reached(), upload.bytesLeft()], [true, 0])
    upload.count(1)
    assert.strictEqual(upload.bytesLeft(), 0)
    assert.strictEqual(upload.timeLeft(), 86_400_000)
    clock.now += 86_399_999
    assert.deepStrictEqual([upload.reached(), upload.timeLeft()], [true, 1])
    // The day lasts through its last millisecond; the next one begins with bytes.
    clock.now++
    upload.count(1)
    assert.deepStrictEqual([upload.reached(), upload.timeLeft()], [true, 0])
    clock.now++
    upload.count(1)
    assert.deepStrictEqual([upload.reached(), upload.bytesLeft(), upload.timeLeft()], [false, 899_999_999, 86_400_000])
    clock.now += 2 * DAY * 1_000
    assert.strictEqual(upload.timeLeft(), 0)
  })

  it("keeps four million bytes for each block that may be found until the day is over", () => {
    const clock = { now: 0 }
    const upload = uploadTarget(600_000_000, () => clock.now, 600)
    // 144 intervals are left.
    upload.count(23_999_999)
    assert.isTrue(upload.servesHistoricalBlocks())
    upload.count(1)
    assert.isFalse(upload.servesHistoricalBlocks())
    clock.now = 1
    assert.isTrue(upload.servesHistoricalBlocks())
    upload.count(4_000_000)
    assert.isFalse(upload.servesHistoricalBlocks())
  })

  it("of nothing is no limit", () => {
    const upload = uploadTarget(0, () => 0, 600)
    upload.count(10 ** 15)
    assert.deepStrictEqual(
      [upload.reached(), upload.servesHistoricalBlocks(), upload.bytesLeft(), upload.timeLeft()],
      [false, true, 0, 0]
    )
  })
})

describe("a block that is being verified", () => {
  it.effect("is waited for where it would be the tip, and only then", () =>
    Effect.gen(function*() {
      const waited = Effect.fnUntraced(
        function*(prepare: (made: { chain: StillChain; node: HeaderIndexNode }) => void) {
          const { at, chain, context, got } = yield* made()
          const node = at(20)
          clearStatus(chain.tree, node, HeaderStatus.CONNECTED)
          setTip(chain.tree, at(19))
          let count = 0
          Object.assign(context.chain, { blocksConnected: Effect.sync(() => void count++) })
          prepare({ chain, node })
          yield* got(node)
          return count
        }
      )
      assert.strictEqual(yield* waited(() => undefined), 1)
      assert.strictEqual(yield* waited(({ chain, node }) => clearStatus(chain.tree, node, HeaderStatus.STORED)), 0)
      assert.strictEqual(yield* waited(({ chain, node }) => setStatus(chain.tree, node, HeaderStatus.CONNECTED)), 0)
      assert.strictEqual(yield* waited(({ chain, node }) => setStatus(chain.tree, node, HeaderStatus.INVALID)), 0)
      assert.strictEqual(yield* waited(({ chain, node }) => setTip(chain.tree, node)), 0)
      assert.strictEqual(yield* waited(({ chain }) => chain.set({ initialBlockDownload: true })), 0)
    }))
})
