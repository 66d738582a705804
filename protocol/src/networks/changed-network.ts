import type { Height } from "@lockstep/kernel/quantities"
import type { DeploymentTimes, Network, NetworkName } from "./network.ts"
import { NETWORKS } from "./table.ts"

/** A signet of one's own: the script that its blocks satisfy, the magic that follows from it, and where its nodes are. */
export interface CustomSignet {
  readonly challenge: Uint8Array
  readonly magic: Uint8Array
  readonly dnsSeeds: ReadonlyArray<string>
}

/** What an operator changes about a network. */
export interface NetworkChanges {
  /** For signet alone. */
  readonly signet?: CustomSignet | undefined
  /** The least work of a chain that is worth a sync. */
  readonly minimumChainWork?: bigint | undefined
  /** The height that the chain must reach before it is pruned. */
  readonly pruneAfterHeight?: Height | undefined
  /** Whether BIP94 holds where the network does not say so itself. */
  readonly bip94?: boolean | undefined
  /** When the deployment for tests activates. */
  readonly testDummy?: DeploymentTimes | undefined
}

/** Another signet shares no more than rules and ports with the default one: no chain of it is known. */
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

/** A network as an operator changed it. */
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
