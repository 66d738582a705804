import type { NetworkName } from "@lockstep/protocol/networks/network.ts"

/** Bitcoin Core's `m_assumed_blockchain_size`, in GiB: what the block files of a network take, with some to come. */
export const CHAIN_GIBIBYTES: Readonly<Record<NetworkName, number>> = {
  mainnet: 810,
  testnet3: 240,
  testnet4: 22,
  signet: 24,
  regtest: 0
}

/** What coins, headers and the store of them take beside the block files, in GiB. */
export const STATE_GIBIBYTES: Readonly<Record<NetworkName, number>> = {
  mainnet: 17,
  testnet3: 20,
  testnet4: 3,
  signet: 4,
  regtest: 0
}
