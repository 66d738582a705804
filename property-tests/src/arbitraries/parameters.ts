import fc, { type Arbitrary } from "fast-check"
import type { NaiveHeights } from "../oracles/header.ts"
import type { NaiveParameters } from "../oracles/deployments.ts"
import { closed, CONSENSUS_FLAG_NAMES } from "../oracles/spend.ts"
import { bytesOf } from "./bytes.ts"
import { workParameters } from "./work.ts"

/** Heights of deployments, each from genesis on, within reach, or never. */
export const heightsUpTo = (height: number): Arbitrary<NaiveHeights> => {
  const at = fc.oneof(fc.constantFrom(0, 1), fc.nat(height + 2), fc.constant(1_000_000_000))
  return fc.record({ bip34: at, bip65: at, bip66: at, csv: at, segwit: at })
}

/** Heights of deployments that begin with the block of `height`, right before or behind it, or long ago, or never. */
export const heightsAround = (height: number): Arbitrary<NaiveHeights> => {
  const at = fc.constantFrom(0, Math.max(0, height - 1), height, height, height + 1, 1_000_000_000)
  return fc.record({ bip34: at, bip65: at, bip66: at, csv: at, segwit: at })
}

/** A few hashes, so that the same one comes up again. */
const fewHashes: Arbitrary<Uint8Array> = fc.oneof(
  fc.nat(3).map((byte) => new Uint8Array(32).fill(byte)),
  bytesOf(32)
)

/** Any hash, and often one that `parameters` name. */
export const hashKnownTo = (
  { bip34Hash, repeatedCoinbases, scriptFlagExceptions }: NaiveParameters
): Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.constantFrom(
      new Uint8Array(32),
      ...(bip34Hash === undefined ? [] : [bip34Hash]),
      ...repeatedCoinbases.map(({ hash }) => hash),
      ...scriptFlagExceptions.map(({ hash }) => hash)
    ),
    fewHashes
  )

/** Networks of all kinds with everything that matters below `height`. */
export const networkUpTo = (height: number): Arbitrary<NaiveParameters> =>
  fc.record({
    genesisHash: bytesOf(32),
    work: workParameters(7),
    heights: heightsUpTo(height),
    bip34Hash: fc.option(fewHashes, { nil: undefined }),
    scriptFlagExceptions: fc.array(
      fc.record({ hash: fewHashes, flags: fc.subarray([...CONSENSUS_FLAG_NAMES]).map(closed) }),
      {
        maxLength: 2
      }
    ),
    repeatedCoinbases: fc.array(fc.record({ height: fc.nat(height + 2), hash: fewHashes }), { maxLength: 2 }),
    subsidyHalvingInterval: fc.constantFrom(1, 2, 10, 150, 210_000),
    signetChallenge: fc.constant(undefined)
  })
