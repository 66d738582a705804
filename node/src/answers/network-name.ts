import type { NetworkName } from "@lockstep/protocol/networks/network.ts"

/** Names of the networks in RPC, which other software compares. */
export const RPC_NETWORK_NAMES: Readonly<Record<NetworkName, string>> = {
  mainnet: "main",
  testnet3: "test",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "regtest"
}
