import fc, { type Arbitrary } from "fast-check"
import { littleEndian } from "../oracles/byte-string.ts"
import type { NaiveBlock } from "../oracles/block.ts"
import { type NaiveCoin, type NaiveCoins, outPointKey } from "../oracles/coins.ts"
import type { NaivePlace } from "../oracles/connect.ts"
import type { NaiveParameters } from "../oracles/deployments.ts"
import { sha256, sha256d } from "../oracles/hash.ts"
import { medianTimePast, type NaiveChain, type NaiveHeader, serializeHeader } from "../oracles/header.ts"
import { type Draft, sealed, validDraft } from "./block-draft.ts"
import { damaged, LOCKS } from "./damage.ts"
import { type Decisions, decisionsOf, tapeOf } from "./decisions.ts"
import { FREE_LOCKS, SIGNED_LOCKS } from "./locks.ts"
import { heightsAround, networkUpTo } from "./parameters.ts"

/** A chain, and coins that it may have left behind. */
export interface World {
  readonly place: NaivePlace
  readonly coins: NaiveCoins
}

const EASIEST = 0x207fffff
const GENESIS_TIME = 1_500_000_000

/** Numbers that follow from `seed` and `index` alone. */
const noise = (seed: number, index: number, limit: number): number =>
  Buffer.from(sha256(littleEndian(seed * 65_536 + index, 8))).readUInt32LE(0) % limit

interface Hashed {
  readonly chain: NaiveChain
  readonly hashes: ReadonlyArray<Uint8Array>
}

const LONGEST = 130

/** Headers whose times go back and forth, every one later than the median before it. */
const sawToothed = (seed: number): Hashed => {
  const chain: Array<NaiveHeader> = []
  const hashes: Array<Uint8Array> = []
  for (let i = 0; i < LONGEST; i++) {
    const step = noise(seed, i, 4_000) - 1_500
    const header: NaiveHeader = {
      version: 4,
      previous: hashes.at(-1) ?? new Uint8Array(32),
      merkleRoot: new Uint8Array(32),
      time: i === 0 ? GENESIS_TIME : Math.max(medianTimePast(chain) + 1, chain.at(-1)!.time + step),
      bits: EASIEST,
      nonce: i
    }
    chain.push(header)
    hashes.push(sha256d(serializeHeader(header)))
  }
  return { chain, hashes }
}

const CHAINS: ReadonlyArray<Hashed> = [1, 2, 3, 4, 5, 6].map(sawToothed)

const coinsAlong = (seed: number, height: number, decisions: Decisions): NaiveCoins =>
  new Map(
    Array.from({ length: 4 + decisions.below(12) }, (_, i) => {
      const lock = i === 3 ? SIGNED_LOCKS[seed % SIGNED_LOCKS.length]! : FREE_LOCKS[noise(seed, i, FREE_LOCKS.length)]!
      const coin: NaiveCoin = {
        value: BigInt(noise(seed, i + 100, 1_000_000)) * BigInt(1 + noise(seed, i + 200, 5_000)),
        script: lock.script,
        // The first two coinbases are as young as can be spent, and a block younger.
        height: i < 2 ? Math.max(0, height - 99 + i) : noise(seed, i + 300, height + 1),
        isCoinbase: i < 3 || noise(seed, i + 400, 3) === 0
      }
      return [outPointKey(sha256(littleEndian(seed * 16 + (i >> 1), 8)), i % 2), coin] as const
    })
  )

const easy = (network: NaiveParameters): NaiveParameters => ({
  ...network,
  work: {
    powLimit: (1n << 255n) - 1n,
    targetTimespan: 86_400,
    targetSpacing: 600,
    allowMinDifficulty: true,
    noRetargeting: true,
    bip94: false
  }
})

const lengths = fc.oneof(fc.integer({ min: 1, max: LONGEST }), fc.constantFrom(101, 102))

/** Where a block is to be put: chains of one to 130 headers, all deployments in force or only some. */
export const world: Arbitrary<readonly [World, Decisions]> = lengths.chain((length) =>
  fc
    .record({
      seed: fc.nat(0xffff),
      network: networkUpTo(LONGEST).map(easy),
      heights: fc.oneof(fc.constant({ bip34: 1, bip65: 1, bip66: 1, csv: 1, segwit: 0 }), heightsAround(length)),
      tape: tapeOf(60)
    })
    .map(({ seed, network, heights, tape }) => {
      const decisions = decisionsOf(tape)
      const { chain, hashes } = CHAINS[seed % CHAINS.length]!
      const parameters = { ...network, heights }
      const place = { chain: chain.slice(0, length), hashes: hashes.slice(0, length), parameters }
      return [{ place, coins: coinsAlong(seed, length - 1, decisions) }, decisions]
    })
)

/** A world and a block for it. */
export interface Scenario extends World {
  readonly block: NaiveBlock
}

const scenario = ([made, decisions]: readonly [World, Decisions], damage: (draft: Draft) => Draft): Scenario => {
  const draft = damage(validDraft(decisions, made.place, made.coins))
  return { ...made, block: sealed(decisions, draft, made.place) }
}

/** A block that holds. */
export const validScenario: Arbitrary<Scenario> = world.map((made) => scenario(made, (draft) => draft))

const damagedScenario = (names?: ReadonlyArray<string>): Arbitrary<Scenario> =>
  fc
    .tuple(world, tapeOf(12))
    .map(([made, tape]) =>
      scenario(made, (draft) => damaged(draft, { ...made[0], decisions: decisionsOf(tape) }, names))
    )

/** A block with a transaction that may have to wait. */
export const lockedScenario: Arbitrary<Scenario> = damagedScenario(LOCKS)

/** A block that holds, or one with some damage. */
export const anyScenario: Arbitrary<Scenario> = fc.oneof(
  { weight: 1, arbitrary: validScenario },
  { weight: 5, arbitrary: damagedScenario() }
)
