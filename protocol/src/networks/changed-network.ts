import type { Height } from "@lockstep/kernel/quantities"
import type { DeploymentTimes, Network, NetworkName } from "./network.ts"
import { NETWORKS } from "./table.ts"

/** A custom signet: the script that its blocks satisfy, the magic derived from it, and its DNS seeds. */
export interface CustomSignet {
  readonly challenge: Uint8Array
  readonly magic: Uint8Array
  readonly dnsSeeds: ReadonlyArray<string>
}

/** Changes that an operator makes to a network. */
export interface NetworkChanges {
  /** Set only for signet. */
  readonly signet?: CustomSignet | undefined
  /** The least work of a chain that is synchronized. */
  readonly minimumChainWork?: bigint | undefined
  /** The height that the chain must reach before it is pruned. */
  readonly pruneAfterHeight?: Height | undefined
  /** True to enforce BIP94 on a network that does not enforce it by default. */
  readonly bip94?: boolean | undefined
  /** Activation times of the deployment for tests. */
  readonly testDummy?: DeploymentTimes | undefined
}

/** Returns a custom signet. It shares only rules and ports with the default one: nothing is known about its chain. */
const customSignet = (network: Network, { challenge, dnsSeeds, magic }: CustomSignet): Network => ({
  ...network,
  parameters: { ...network.parameters, signetChallenge: challenge },
  magic,
  dnsSeeds,
  minimumChainWork: 0n,
  assumedValid: undefined,
  assumeUtxo: [],
  chainTransactions: { time: 0, count: 0, rate: 0 }
})

/** Returns a network with the operator's changes. */
export const networkWith = (
  name: NetworkName,
  { bip94 = false, minimumChainWork, pruneAfterHeight, signet, testDummy }: NetworkChanges = {}
): Network => {
  const network = signet === undefined ? NETWORKS[name] : customSignet(NETWORKS[name], signet)
  if (!bip94 && testDummy === undefined && minimumChainWork === undefined && pruneAfterHeight === undefined) {
    return network
  }
  const { parameters, parameters: { work } } = network
  return {
    ...network,
    parameters: bip94 ? { ...parameters, work: { ...work, bip94 } } : parameters,
    ...testDummy === undefined ? {} : { testDummy },
    ...minimumChainWork === undefined ? {} : { minimumChainWork },
    ...pruneAfterHeight === undefined ? {} : { pruneAfterHeight }
  }
}
