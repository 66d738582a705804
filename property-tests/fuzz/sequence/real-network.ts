import { fromHex } from "../../src/oracles/byte-string.ts"
import type { NaiveParameters } from "../../src/oracles/deployments.ts"
import { EASIEST_TARGET, EASY_NETWORK, FROM_THE_FIRST } from "../../src/sequence/network.ts"

export type RealNetworkName = "mainnet" | "regtest" | "signet"

/** Rules that a real chain is played under. */
export interface RealNetwork {
  readonly of: RealNetworkName
  /**
   * Whether blocks that are changed can be mined: on such a network the chain is mined again under the easiest target,
   * or had an easy one from the beginning. On the others a header is what it was, or has no work.
   */
  readonly minable: boolean
  /** The least version of a header; 0 leaves all as they are. */
  readonly version: number
  readonly parameters: Omit<NaiveParameters, "genesisHash">
}

const WEEKS = {
  targetTimespan: 1_209_600,
  targetSpacing: 600,
  allowMinDifficulty: false,
  noRetargeting: false,
  bip94: false
}
const EASY_WEEKS = { ...WEEKS, powLimit: EASIEST_TARGET }
const MAINNET_HEIGHTS = { bip34: 227_931, bip65: 388_381, bip66: 363_725, csv: 419_328, segwit: 481_824 }
const NEVER = 1_000_000_000
const PARAMETERS = { ...EASY_NETWORK, subsidyHalvingInterval: 210_000 }

/** Two keys, one of which signs. */
const SIGNET_CHALLENGE = fromHex(
  "512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b27876" +
    "0f048f5189f2e6c452ae"
)

export const REAL_NETWORKS: ReadonlyArray<RealNetwork> = [
  {
    of: "regtest",
    minable: true,
    version: 0,
    parameters: {
      ...PARAMETERS,
      work: {
        ...WEEKS,
        targetTimespan: 86_400,
        powLimit: 2n ** 255n - 1n,
        allowMinDifficulty: true,
        noRetargeting: true
      },
      heights: { ...FROM_THE_FIRST, segwit: 0 },
      subsidyHalvingInterval: 150
    }
  },
  {
    of: "mainnet",
    minable: true,
    version: 0,
    parameters: { ...PARAMETERS, work: EASY_WEEKS, heights: MAINNET_HEIGHTS }
  },
  // Rules of today for blocks of the first days, all but the height in the coinbase.
  {
    of: "mainnet",
    minable: true,
    version: 0x20000000,
    parameters: {
      ...PARAMETERS,
      work: EASY_WEEKS,
      heights: { bip34: NEVER, bip65: 150, bip66: 120, csv: 172, segwit: 160 }
    }
  },
  {
    of: "mainnet",
    minable: false,
    version: 0,
    parameters: { ...PARAMETERS, work: { ...WEEKS, powLimit: 2n ** 224n - 1n }, heights: MAINNET_HEIGHTS }
  },
  // A challenge that is true lets the solutions stand that no longer sign what they are in.
  {
    of: "signet",
    minable: true,
    version: 0,
    parameters: { ...PARAMETERS, work: EASY_WEEKS, heights: FROM_THE_FIRST, signetChallenge: Uint8Array.of(0x51) }
  },
  {
    of: "signet",
    minable: false,
    version: 0,
    parameters: {
      ...PARAMETERS,
      work: { ...WEEKS, powLimit: 0x377aen << 216n },
      heights: FROM_THE_FIRST,
      signetChallenge: SIGNET_CHALLENGE
    }
  }
]

export const isRealNetwork = (name: string): name is RealNetworkName => REAL_NETWORKS.some((each) => each.of === name)
