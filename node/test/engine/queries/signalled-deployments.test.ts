import type { DeploymentState } from "@lockstep/kernel/deployment"
import { childOf, type HeaderNode } from "@lockstep/kernel/chain"
import { headerOf } from "@lockstep/kernel/model"
import { assert, describe, it } from "@effect/vitest"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { nextVersion, signalledDeployments } from "../../../src/engine/deployments/signalled-deployments.ts"

const SIGNALS = 0x30000000
const SILENT = 0x20000000

const headerWith = (version: number, time: number) => {
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, version, true)
  view.setUint32(68, time, true)
  view.setUint32(72, 0x207fffff, true)
  return headerOf(bytes)
}

/** A chain whose blocks signal where `isSignal` says so. */
const chainOf = (length: number, isSignal: (height: number) => boolean): ReadonlyArray<HeaderNode> => {
  const nodes: Array<HeaderNode> = []
  for (let height = 0; height < length; height++) {
    const header = headerWith(isSignal(height) ? SIGNALS : SILENT, 1_600_000_000 + height * 600)
    nodes.push(childOf(nodes.at(-1), header, new Uint8Array(32).fill(height & 255)))
  }
  return nodes
}

const seen = (node: HeaderNode) => signalledDeployments(node, NETWORKS.regtest)[0]!

describe("deployments that are signalled for", () => {
  const nodes = chainOf(700, (height) => height >= 144 + 36 && height < 288)
  const expected = (height: number): readonly [DeploymentState, number] =>
    height < 144
      ? ["defined", 0]
      : height < 288
      ? ["started", 144]
      : height < 432
      ? ["locked_in", 288]
      : ["active", 432]

  it("go from state to state with the periods", () => {
    for (const node of nodes) {
      const { counted, next, since, state } = seen(node)
      assert.deepStrictEqual([state, since], [...expected(node.height)], `height ${node.height}`)
      assert.strictEqual(next, expected(node.height + 1)[0])
      assert.strictEqual(counted !== undefined, state === "started" || state === "locked_in")
    }
  })

  it("count the signals of the period", () => {
    const { counted } = seen(nodes[200]!)
    assert.deepStrictEqual([counted?.elapsed, counted?.count, counted?.possible], [57, 21, true])
    assert.deepStrictEqual(counted?.signalling, [
      ...Array.from({ length: 36 }, () => false),
      ...Array.from({ length: 21 }, () => true)
    ])
  })

  it("are not there on other networks", () => {
    assert.deepStrictEqual(signalledDeployments(nodes[500]!, NETWORKS.mainnet), [])
  })

  it("are active, or never will be, from the first block on where their start time says so", () => {
    const seenWith = (height: number, startTime: number) =>
      signalledDeployments(nodes[height]!, {
        ...NETWORKS.regtest,
        testDummy: { startTime, timeout: 9, minActivationHeight: 5 }
      })
    const facts = { name: "testdummy", bit: 28, timeout: 9, minActivationHeight: 5, since: 0, counted: undefined }
    for (const height of [0, 1, 143, 144, 500]) {
      const [always, ...none] = seenWith(height, -1)
      assert.deepStrictEqual(none, [])
      assert.deepStrictEqual(always, { ...facts, startTime: -1, state: "active", next: "active" })
      assert.deepStrictEqual(seenWith(height, -2), [{ ...facts, startTime: -2, state: "failed", next: "failed" }])
    }
  })

  it("are counted from the first block of a period to the block itself, oldest first", () => {
    const started = chainOf(300, (height) => height === 145 || height === 147)
    assert.deepStrictEqual(seen(started[148]!), {
      name: "testdummy",
      bit: 28,
      startTime: 0,
      timeout: undefined,
      minActivationHeight: 0,
      state: "started",
      since: 144,
      next: "started",
      counted: {
        period: 144,
        threshold: 108,
        elapsed: 5,
        count: 2,
        possible: true,
        signalling: [false, true, false, true, false]
      }
    })
    assert.deepInclude(seen(started[182]!).counted, { elapsed: 39, count: 2, possible: false })
    assert.deepInclude(seen(started[181]!).counted, { elapsed: 38, count: 2, possible: true })
  })

  it("are signalled for by the next block while they are decided, and by no other", () => {
    const versions = [0, 142, 143, 286, 287, 430, 431, 600].map((height) =>
      nextVersion(nodes[height]!, NETWORKS.regtest)
    )
    assert.deepStrictEqual(versions, [SILENT, SILENT, SIGNALS, SIGNALS, SIGNALS, SIGNALS, SILENT, SILENT])
  })
})
