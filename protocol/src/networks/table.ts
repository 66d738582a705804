import { MAINNET } from "./mainnet.ts"
import type { Network, NetworkName } from "./network.ts"
import { REGTEST } from "./regtest.ts"
import { SIGNET } from "./signet.ts"
import { TESTNET3 } from "./testnet3.ts"
import { TESTNET4 } from "./testnet4.ts"

/** Every network by name. */
export const NETWORKS: Readonly<Record<NetworkName, Network>> = {
  mainnet: MAINNET,
  testnet3: TESTNET3,
  testnet4: TESTNET4,
  signet: SIGNET,
  regtest: REGTEST
}

export const NETWORK_NAMES = Object.keys(NETWORKS) as ReadonlyArray<NetworkName>

/** Returns the network with this name, or `undefined` if it does not exist. */
export const networkCalled = (name: string): Network | undefined =>
  NETWORK_NAMES.includes(name as NetworkName) ? NETWORKS[name as NetworkName] : undefined
