import type { Weight } from "../quantities.ts"
import type { FeeRate } from "./fee-rate.ts"

/** How large a cluster of the pool may be. */
export interface ClusterLimits {
  readonly count: number
  readonly weight: Weight
}

/** What an operator may set about relay. The defaults are those of Bitcoin Core. */
export interface RelayPolicy {
  /** Whether POL-041, POL-057 and POL-065 are asked at all; off is for test chains. */
  readonly requireStandard: boolean
  readonly permitBareMultisig: boolean
  /** Bytes of OP_RETURN outputs, whole scripts, that a transaction may have; 0: it may have none. */
  readonly dataCarrierBytes: number
  readonly dustRelayFee: FeeRate
  readonly minRelayFee: FeeRate
  readonly incrementalRelayFee: FeeRate
  readonly bytesPerSigOp: number
  readonly cluster: ClusterLimits
}

/** What holds where the operator sets nothing. */
export const DEFAULT_RELAY_POLICY: RelayPolicy = {
  requireStandard: true,
  permitBareMultisig: true,
  dataCarrierBytes: 100_000,
  dustRelayFee: { fee: 3000n, size: 1000 },
  minRelayFee: { fee: 100n, size: 1000 },
  incrementalRelayFee: { fee: 100n, size: 1000 },
  bytesPerSigOp: 20,
  cluster: { count: 64, weight: 404_000 }
}
