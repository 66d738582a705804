import type { NetworkName } from "@lockstep/protocol/networks/network.ts"

/** What RPC calls a network: the names that other software compares with. */
export const RPC_NETWORK_NAMES: Readonly<Record<NetworkName, string>> = {
  mainnet: "main",
  testnet3: "test",
  testnet4: "testnet4",
  signet: "signet",
  regtest: "regtest"
}
