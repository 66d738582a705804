import { assert, describe, it } from "vitest"
import type { Transaction } from "@lockstep/kernel/model"
import type { ReplacementTerms } from "@lockstep/kernel/relay"
import * as Result from "effect/Result"
import type { MempoolCandidate } from "../../../../src/engine/mempool/acceptance/candidate.ts"
import { checkModeTerms } from "../../../../src/engine/mempool/acceptance/check-replacement.ts"
import type { Rig } from "../../../../src/engine/mempool/acceptance/rig.ts"
import type { Staged } from "../../../../src/engine/txmempool/contract.ts"

const NOTHING: ReplacementTerms = {
  allowed: true,
  packages: true,
  diagram: true,
  signalling: false,
  rateFactor: 0,
  bump: undefined,
  maxReplacements: undefined,
  cooldown: 0,
  confirmations: 0
}

const NOW = 1_700_000_000
const TIP = 200

interface Situation {
  /** Replacements of the coin that is spent, and when the last one was. */
  readonly replaced?: { readonly count: number; readonly time: number } | undefined
  readonly sequence?: number
  /** Heights of the coins that are spent, the first of them by the conflict too. */
  readonly heights?: ReadonlyArray<number>
  readonly own?: { readonly fee: bigint; readonly size: number }
  readonly state?: boolean
}

const REMOVED = { fees: 1_000n, virtualSize: 100 }

/** The rule that a replacement of one conflict breaks under these terms; none: it breaks none. */
const broken = (
  terms: Partial<ReplacementTerms>,
  { heights = [TIP], own = { fee: 2_000n, size: 100 }, replaced, sequence = 0, state = true }: Situation = {}
): string | undefined => {
  const inputs = heights.map((_, vout) => ({
    prevout: { txid: new Uint8Array(32), vout },
    sequence,
    script: new Uint8Array(0),
    witness: []
  }))
  const tx = { version: 2, inputs, outputs: [] } as unknown as Transaction
  const asked = {
    sums: () => REMOVED,
    transaction: () => tx,
    spenderOf: ({ vout }: { readonly vout: number }) => vout === 0 ? 5 : undefined
  }
  const rig = {
    engine: { clock: { now: () => NOW }, tree: { tip: { height: TIP } } },
    history: { of: () => replaced },
    state: state ? asked : undefined,
    terms: { ...NOTHING, ...terms }
  } as unknown as Rig
  const candidate = { coins: heights.map((height) => ({ height })), conflicts: [5], tx } as unknown as MempoolCandidate
  const verdict = checkModeTerms(rig, [candidate], own, { removals: [5] } as unknown as Staged)
  return Result.isFailure(verdict) ? verdict.failure.rule : undefined
}

describe("the terms of a mode of replacement", () => {
  it("are not looked at where none is asked", () => {
    assert.isUndefined(broken({}, { state: false, replaced: { count: 9, time: NOW } }))
  })

  it("are asked each by itself: signals", () => {
    assert.strictEqual(broken({ signalling: true }, { sequence: 0xffff_fffe }), "POL-130")
    assert.isUndefined(broken({ signalling: true }, { sequence: 0xffff_fffd }))
  })

  it("are asked each by itself: a factor of the feerate", () => {
    assert.strictEqual(broken({ rateFactor: 2_000 }, { own: { fee: 2_000n, size: 100 } }), "POL-131")
    assert.isUndefined(broken({ rateFactor: 2_000 }, { own: { fee: 2_001n, size: 100 } }))
    assert.strictEqual(broken({ rateFactor: 1 }, { own: { fee: 1n, size: 100 } }), "POL-131")
  })

  it("are asked each by itself: satoshis beyond what is removed, be it none", () => {
    assert.strictEqual(broken({ bump: 1_000n }), "POL-132")
    assert.isUndefined(broken({ bump: 999n }))
    assert.strictEqual(broken({ bump: 0n }, { own: { fee: 1_000n, size: 100 } }), "POL-132")
  })

  it("are asked each by itself: how often the spenders of a coin were replaced before, be it never", () => {
    const twice = { count: 2, time: NOW }
    assert.strictEqual(broken({ maxReplacements: 2 }, { replaced: twice }), "POL-133")
    assert.isUndefined(broken({ maxReplacements: 3 }, { replaced: twice }))
    assert.strictEqual(broken({ maxReplacements: 0 }), "POL-133")
    assert.isUndefined(broken({ maxReplacements: 1 }))
  })

  it("are asked each by itself: seconds since the last replacement", () => {
    assert.strictEqual(broken({ cooldown: 60 }, { replaced: { count: 1, time: NOW - 59 } }), "POL-134")
    assert.isUndefined(broken({ cooldown: 60 }, { replaced: { count: 1, time: NOW - 60 } }))
    assert.strictEqual(broken({ cooldown: 1 }, { replaced: { count: 1, time: NOW } }), "POL-134")
    assert.isUndefined(broken({ cooldown: 60 }))
  })

  it("are asked each by itself: confirmations of the least confirmed coin that no conflict spends", () => {
    assert.strictEqual(broken({ confirmations: 3 }, { heights: [TIP, TIP - 1, TIP - 9] }), "POL-135")
    assert.isUndefined(broken({ confirmations: 2 }, { heights: [TIP, TIP - 1, TIP - 9] }))
    assert.strictEqual(broken({ confirmations: 1 }, { heights: [TIP, TIP + 1] }), "POL-135")
    assert.isUndefined(broken({ confirmations: 9 }, { heights: [TIP] }), "only the conflict's coin is spent")
  })
})
