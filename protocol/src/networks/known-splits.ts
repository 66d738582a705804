import type { Height } from "@lockstep/kernel/quantities"
import type { NetworkName } from "./network.ts"

/** A height at which other software left the chain that this software follows, with the same magic and ports. */
export interface KnownSplit {
  /** Height of the first block that the two chains do not share. */
  readonly height: Height
  /** Description of the others' change, for an operator. */
  readonly what: string
  /** True if headers of the others have another length and proof of work, so that this software cannot read them. */
  readonly hasOtherHeaders: boolean
}

const REDUCED_DATA = "BIP110 (reduced data), which refuses blocks without its signal"
const BLAKE2B = "another proof of work (BLAKE2b, headers of 164 bytes)"

const SPLITS: Readonly<Partial<Record<NetworkName, ReadonlyArray<KnownSplit>>>> = {
  mainnet: [
    { height: 961_632, what: REDUCED_DATA, hasOtherHeaders: false },
    { height: 961_640, what: BLAKE2B, hasOtherHeaders: true }
  ],
  testnet4: [{ height: 150_308, what: BLAKE2B, hasOtherHeaders: true }]
}

/** Returns the known splits of a network, the lowest first. They only explain observations, and decide nothing. */
export const knownSplits = (network: NetworkName): ReadonlyArray<KnownSplit> => SPLITS[network] ?? []
