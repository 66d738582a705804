import { assert, describe, it } from "@effect/vitest"
import { childOf, type HeaderNode } from "@lockstep/kernel/chain"
import { headerOf } from "@lockstep/kernel/model"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Effect from "effect/Effect"
import type { EngineNotification } from "../../../src/engine/api/engine-notification.ts"
import type { EngineExtension } from "../../../src/engine/chainstate/extension.ts"
import { nodeEvent } from "../../../src/events/node-event.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testEngine } from "../test-engine.ts"
import {
  type BitState,
  signallingWindow,
  unknownRules,
  unknownRulesWatch
} from "../../../src/engine/validation/unknown-rules.ts"

const SILENT = 0x20000000
const BIT = 3
const TEST_DUMMY = 28
const NOW = 1_700_000_000
const REGTEST = signallingWindow({ network: NETWORKS.regtest, parameters: NETWORKS.regtest.parameters })

const headerWith = (version: number, height: number) => {
  const bytes = new Uint8Array(80)
  const view = new DataView(bytes.buffer)
  view.setInt32(0, version, true)
  view.setUint32(68, NOW + height * 600, true)
  view.setUint32(72, 0x207fffff, true)
  return headerOf(bytes)
}

const chainOf = (
  length: number,
  versionAt: (height: number) => number,
  base: ReadonlyArray<HeaderNode> = []
): ReadonlyArray<HeaderNode> => {
  const nodes = [...base]
  for (let height = nodes.length; height < length; height++) {
    nodes.push(childOf(nodes.at(-1), headerWith(versionAt(height), height), new Uint8Array(32).fill(height & 255)))
  }
  return nodes
}

/** The last of the blocks from one height up to another, without those before. */
const partOf = (from: number, to: number, versionAt: (height: number) => number): HeaderNode => {
  let tip: HeaderNode | undefined
  for (let height = from; height < to; height++) {
    // A skip leads to the parent: where it would lead may lie before the part.
    tip = {
      header: headerWith(versionAt(height), 0),
      hash: new Uint8Array(32),
      height,
      parent: tip,
      skip: tip,
      chainWork: 0n
    }
  }
  return tip!
}

/** Heights whose blocks signal with this bit, and those at which the state for the next block is not quiet. */
const heightsOf = (nodes: ReadonlyArray<HeaderNode>, bit: number, wanted: BitState): ReadonlyArray<number> => {
  const statesAt = unknownRules(REGTEST)
  return nodes.filter((node) => statesAt(node)[bit] === wanted).map(({ height }) => height)
}

describe("rules that are not known here", () => {
  it("count periods of the network, with its share of blocks", () => {
    assert.deepStrictEqual(REGTEST, { network: NETWORKS.regtest, period: 144, threshold: 108 })
    const { mainnet, testnet3 } = NETWORKS
    assert.deepInclude(signallingWindow({ network: mainnet, parameters: mainnet.parameters }), {
      period: 2_016,
      threshold: 1_815
    })
    assert.deepInclude(signallingWindow({ network: testnet3, parameters: testnet3.parameters }), {
      period: 2_016,
      threshold: 1_512
    })
  })

  it("are locked in after a period in which enough blocks signal, and active after the next", () => {
    const enough = chainOf(720, (height) => height >= 288 && height < 288 + 108 ? SILENT | (1 << BIT) : SILENT)
    const [locked, active] = (["locked_in", "active"] as const).map((state) => heightsOf(enough, BIT, state))
    assert.deepStrictEqual([locked![0], locked!.at(-1), active![0], active!.at(-1)], [431, 574, 575, 719])
    assert.deepStrictEqual(heightsOf(enough, BIT - 1, "quiet").length, 720)
    const tooFew = chainOf(720, (height) => height >= 288 && height < 288 + 107 ? SILENT | (1 << BIT) : SILENT)
    assert.lengthOf(heightsOf(tooFew, BIT, "quiet"), 720)
  })

  it("do not show in bits that miners roll (BIP323)", () => {
    for (const [bit, isSeen] of [[0, true], [4, true], [5, false], [TEST_DUMMY, false]] as const) {
      const nodes = chainOf(720, (height) => height >= 144 ? SILENT | (1 << bit) : SILENT)
      assert.strictEqual(heightsOf(nodes, bit, "active").length > 0, isSeen, `bit ${bit}`)
    }
  })

  it("do not count in the first period, or without the top bits", () => {
    assert.lengthOf(heightsOf(chainOf(288, (height) => height < 144 ? SILENT | (1 << BIT) : SILENT), BIT, "quiet"), 288)
    const otherTop = chainOf(432, () => 0x60000000 | (1 << BIT))
    for (const bit of [0, BIT]) assert.lengthOf(heightsOf(otherTop, bit, "quiet"), 432)
  })

  it.each([["mainnet", 709_632, 1_815], ["testnet3", 2_011_968, 1_512]] as const)(
    "count on %s from one period above the activation of taproot, whose signals are older",
    (name, taproot, threshold) => {
      const window = signallingWindow({ network: NETWORKS[name], parameters: NETWORKS[name].parameters })
      const first = taproot + 2_016
      const stateAfter = (signalling: (height: number) => boolean): BitState => {
        const tip = partOf(taproot, first + 2_016, (height) => signalling(height) ? SILENT | (1 << BIT) : SILENT)
        return unknownRules(window)(tip)[BIT]!
      }
      assert.strictEqual(stateAfter((height) => height < first), "quiet")
      assert.strictEqual(stateAfter((height) => height >= first && height < first + threshold), "locked_in")
      assert.strictEqual(stateAfter((height) => height >= first && height < first + threshold - 1), "quiet")
    }
  )

  it("stand for each branch as if it were looked at alone", () => {
    const trunk = chainOf(300, () => SILENT)
    const signalling = chainOf(800, () => SILENT | (1 << BIT), trunk)
    const silent = chainOf(800, () => SILENT, trunk)
    const statesAt = unknownRules(REGTEST)
    for (
      const [branch, height] of [
        [signalling, 799],
        [silent, 799],
        [signalling, 500],
        [silent, 650],
        [signalling, 650],
        [signalling, 575]
      ] as const
    ) {
      assert.deepStrictEqual(statesAt(branch[height]!), unknownRules(REGTEST)(branch[height]!), `height ${height}`)
    }
    assert.strictEqual(statesAt(signalling[799]!)[BIT], "active")
  })
})

describe("the watch for rules that are not known here", () => {
  it.live("warns of each once, when it is locked in and when it is in force, out of the initial download", () =>
    Effect.gen(function*() {
      const news: Array<EngineNotification> = []
      const { chain } = yield* testEngine({
        directory: yield* temporaryDirectory,
        news: (each) => void news.push(each)
      })
      const nodes = chainOf(600, (height) => {
        const bits = height >= 144 && height < 288 ? 1 << BIT : height >= 288 && height < 432 ? 1 : 0
        return SILENT | bits
      })
      const tree = Object.assign(Object.create(chain.tree) as typeof chain.tree, {})
      const engine = {
        ...chain,
        tree,
        pendingNotifications: [] as Array<EngineNotification>,
        initialBlockDownload: true
      }
      const { first, hooks } = yield* (unknownRulesWatch as (of: typeof engine) => Effect.Effect<EngineExtension>)(
        engine
      )
      const [{ committed }] = hooks as unknown as [{ readonly committed: () => void }]
      const observed = (tip: HeaderNode) => {
        Object.assign(tree, { tip })
        news.splice(0)
        committed()
        return {
          events: engine.pendingNotifications.splice(0).map((each) => each._tag === "Event" && each.event),
          lines: news.map((each) => each._tag === "Log" && [each.level, each.message, each.fields]),
          warnings: [...engine.warnings]
        }
      }
      const quiet = { events: [], lines: [], warnings: [] }
      assert.deepStrictEqual(observed(nodes[500]!), quiet)
      Object.assign(engine, { initialBlockDownload: false })
      assert.deepStrictEqual(observed(nodes[286]!), quiet)
      const about = (bit: number, height: number) => ({ name: `unknown (versionbit ${bit})`, height })
      const SOON = "Rules that this node does not know are about to come into force; look for a newer version"
      assert.deepStrictEqual(observed(nodes[287]!), {
        events: [nodeEvent("SoftForkLockedIn", about(BIT, 288))],
        lines: [["warn", SOON, { versionbit: BIT }]],
        warnings: []
      })
      assert.deepStrictEqual(observed(nodes[288]!), quiet)
      const warnings = [`Unknown new rules activated (versionbit ${BIT})`]
      assert.deepStrictEqual(observed(nodes[431]!), {
        events: [nodeEvent("SoftForkLockedIn", about(0, 432)), nodeEvent("SoftForkActivated", about(BIT, 432))],
        lines: [["warn", SOON, { versionbit: 0 }], ["warn", "Unknown new rules activated", { versionbit: BIT }]],
        warnings
      })
      assert.deepStrictEqual(observed(nodes[432]!), { ...quiet, warnings })
      Object.assign(tree, { tip: chain.tree.tip })
      yield* first!
      const states = news.flatMap((each) => each._tag === "State" ? [each.state.warnings] : [])
      assert.deepStrictEqual(states, [warnings])
    }).pipe(Effect.scoped))
})
