import type { Height } from "@lockstep/kernel/quantities"
import type { NetworkName } from "./network.ts"

/** Where other software left the chain that this software follows, with the same magic and ports. */
export interface KnownSplit {
  /** Of the first block that both do not have. */
  readonly height: Height
  /** What the others changed, for an operator. */
  readonly what: string
  /** Headers of the others have another length and another proof of work, so that nothing of them can be read here. */
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

/** The splits of a network that are known, the lowest first. They explain what is seen, and decide nothing. */
export const knownSplits = (network: NetworkName): ReadonlyArray<KnownSplit> => SPLITS[network] ?? []
