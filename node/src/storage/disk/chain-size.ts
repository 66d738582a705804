import type { NetworkName } from "@lockstep/protocol/networks/network.ts"

/** Bitcoin Core's `m_assumed_blockchain_size`, in GiB: the size of a network's block files, with some reserve. */
export const CHAIN_GIBIBYTES: Readonly<Record<NetworkName, number>> = {
  mainnet: 810,
  testnet3: 240,
  testnet4: 22,
  signet: 24,
  regtest: 0
}

/** Size of coins, headers and their store besides the block files, in GiB. */
export const STATE_GIBIBYTES: Readonly<Record<NetworkName, number>> = {
  mainnet: 17,
  testnet3: 20,
  testnet4: 3,
  signet: 4,
  regtest: 0
}
