import { forbidsOverwriting } from "@lockstep/kernel/internal/deployment/repeated-coinbase.ts"
import { blockScriptFlags } from "@lockstep/kernel/internal/deployment/script-flags.ts"
import { deploymentState, signallingStatistics } from "@lockstep/kernel/internal/deployment/version-bits.ts"
import { childOf, type HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyTree, chainIn } from "../../arbitraries/header-tree.ts"
import { hashKnownTo, networkUpTo } from "../../arbitraries/parameters.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/deployments.ts"
import { medianTimePast, type NaiveChain } from "../../oracles/header.ts"
import { kernelChain, kernelHeader, kernelParameters } from "../../subject/chain.ts"
import { flagBits } from "../../subject/kernel.ts"

const LENGTH = 40

/** A network and a block of it by hash and height. */
const block = networkUpTo(LENGTH).chain((network) =>
  fc.tuple(fc.constant(network), hashKnownTo(network), fc.oneof(fc.nat(LENGTH + 3), fc.constant(1_000_000_001)))
)

const someHeader = kernelHeader({
  version: 1,
  previous: new Uint8Array(32),
  merkleRoot: new Uint8Array(32),
  time: 0,
  bits: 0x207fffff,
  nonce: 0
})

/** A chain of which nothing but the hashes matters. */
const nodeWith = (hashes: ReadonlyArray<Uint8Array>): HeaderNode =>
  hashes.reduce<HeaderNode | undefined>((parent, hash) => childOf(parent, someHeader, hash), undefined)!

/**
 * A network and the hashes of a chain, those that the network names among them, often at the heights where they count.
 */
const hashes: Arbitrary<readonly [oracle.NaiveParameters, ReadonlyArray<Uint8Array>]> = networkUpTo(8).chain((
  network
) =>
  fc.array(hashKnownTo(network), { minLength: 1, maxLength: 12 }).chain((some) =>
    fc.tuple(fc.boolean(), fc.boolean()).map(([activates, repeats]) => {
      const chain = some.map((hash, height) => {
        const repeated = network.repeatedCoinbases.find((each) => each.height === height)
        if (repeats && repeated !== undefined) return repeated.hash
        return activates && height === network.heights.bip34 ? (network.bip34Hash ?? hash) : hash
      })
      return [network, chain] as const
    })
  )
)

const median = (chain: NaiveChain): number => (chain.length === 0 ? 0 : medianTimePast(chain))

/** A deployment that starts and ends somewhere along `chain`. */
const deploymentAlong = (chain: NaiveChain): Arbitrary<oracle.NaiveDeployment> => {
  const time = fc.oneof(
    fc.tuple(fc.nat(chain.length), fc.constantFrom(-1, 0, 1)).map(([at, by]) => median(chain.slice(0, at)) + by),
    fc.constantFrom(0, 0xffffffff)
  )
  return fc
    .record({
      bit: fc.constantFrom(0, 0, 1, 28),
      startTime: fc.oneof({ weight: 12, arbitrary: time }, { weight: 1, arbitrary: fc.constantFrom(-1, -2) }),
      timeout: time,
      minActivationHeight: fc.oneof(fc.constant(0), fc.nat(chain.length + 5)),
      period: fc.integer({ min: 1, max: 6 }),
      threshold: fc.nat(6)
    })
    .map((deployment) => ({ ...deployment, threshold: Math.min(deployment.threshold, deployment.period) }))
}

/** A chain, mostly with many signals, and a deployment along it. */
const deployed: Arbitrary<readonly [NaiveChain, oracle.NaiveDeployment]> = fc
  .tuple(chainIn(anyTree(LENGTH, fc.constant(0x207fffff))), fc.nat(3))
  .chain(([chain, willing]) => {
    const louder = chain.map((
      header,
      i
    ) => (willing > 0 && (i * 7) % 4 < willing ? { ...header, version: 0x20000001 } : header))
    return fc.tuple(fc.constant(louder), deploymentAlong(louder))
  })

const kernelState = (chain: NaiveChain, deployment: oracle.NaiveDeployment): string =>
  deploymentState(chain.length === 0 ? undefined : kernelChain(chain), deployment)

describe("DEP deployments", () => {
  it("DEP-001/P1 the value equals the statement", () => {
    check(
      fc.property(
        block,
        ([network, hash, height]) =>
          agree(
            blockScriptFlags(hash, height, kernelParameters(network)),
            flagBits(oracle.blockScriptFlags(hash, height, network))
          )
      ),
      500
    )
  })

  it("DEP-001/P2 outside the exceptions flags are only ever added as the height grows", () => {
    check(
      fc.property(block, fc.nat(LENGTH), ([network, hash, height], more) => {
        const parameters = kernelParameters({ ...network, scriptFlagExceptions: [] })
        const [below, above] = [
          blockScriptFlags(hash, height, parameters),
          blockScriptFlags(hash, height + more, parameters)
        ]
        agree(below & above, below)
      })
    )
  })

  it("DEP-002/P1 the value equals the statement", () => {
    check(
      fc.property(
        hashes,
        ([network, chain]) =>
          agree(
            forbidsOverwriting(nodeWith(chain), kernelParameters(network)),
            oracle.forbidsOverwriting(chain, network)
          )
      ),
      1_000
    )
    // Heights beyond any chain that a test could build: the limit is the node's own height.
    check(
      fc.property(hashes, fc.constantFrom(1_983_701, 1_983_702, 1_983_703), ([network, chain], height) => {
        const { bip34, ...others } = network.heights
        const parameters = { ...network, heights: { ...others, bip34: Math.min(bip34, chain.length - 1) } }
        const parent = nodeWith([...chain, new Uint8Array(32)]).parent!
        const node: HeaderNode = { ...childOf(parent, someHeader, new Uint8Array(32)), height }
        const exempt = !oracle.forbidsOverwriting([...chain, new Uint8Array(32)], {
          ...parameters,
          repeatedCoinbases: []
        })
        agree(forbidsOverwriting(node, kernelParameters(parameters)), height >= 1_983_702 || !exempt)
      })
    )
  })

  it("DEP-003/P1 the state equals the statement", () => {
    check(
      fc.property(
        deployed,
        ([chain, deployment]) => agree(kernelState(chain, deployment), oracle.deploymentState(chain, deployment))
      ),
      1_000
    )
    agree(
      deploymentState(undefined, { bit: 0, startTime: 0, timeout: 0, minActivationHeight: 0, period: 1, threshold: 1 }),
      "defined"
    )
  })

  it("DEP-003/P2 blocks of one period share one state, whatever they signal", () => {
    check(
      fc.property(deployed, fc.integer({ min: -0x80000000, max: 0x7fffffff }), ([chain, deployment], version) => {
        const start = chain.length - (chain.length % deployment.period)
        const others = chain.map((header, i) => (i < start ? header : { ...header, version }))
        agree(kernelState(others, deployment), kernelState(chain.slice(0, start), deployment))
      }),
      300
    )
  })

  it("DEP-003/P3 from active or failed there is no way to another state", () => {
    check(
      fc.property(deployed, ([chain, deployment]) => {
        const states = chain.map((_, i) => kernelState(chain.slice(0, i + 1), deployment))
        for (const [i, state] of states.entries()) {
          if (state === "active" || state === "failed") assert(states.slice(i).every((later) => later === state))
        }
      }),
      100
    )
  })

  it("DEP-004/P1 the value equals the statement", () => {
    check(
      fc.property(
        deployed,
        ([chain, deployment]) =>
          agree(signallingStatistics(kernelChain(chain), deployment), oracle.signallingStatistics(chain, deployment))
      ),
      400
    )
  })

  it("DEP-004/P2 once the threshold cannot be met in a period, it stays so until the period ends", () => {
    check(
      fc.property(deployed, ([chain, deployment]) => {
        const possible = chain.map((_, i) =>
          signallingStatistics(kernelChain(chain.slice(0, i + 1)), deployment).possible
        )
        for (const [i, now] of possible.entries()) {
          if (i % deployment.period !== 0 && now) assert(possible[i - 1])
        }
      }),
      100
    )
  })
})
