import type { Weight } from "../quantities.ts"
import type { FeeRate } from "./fee-rate.ts"

/** Maximum size of a cluster in the pool. */
export interface ClusterLimits {
  readonly count: number
  readonly weight: Weight
}

/** Relay settings of the operator. The defaults are those of Bitcoin Core. */
export interface RelayPolicy {
  /** True to check POL-041, POL-057 and POL-065; off only on test chains. */
  readonly requireStandard: boolean
  readonly permitBareMultisig: boolean
  /** Bytes of OP_RETURN outputs, whole scripts, that a transaction may have; 0 allows no such output. */
  readonly dataCarrierBytes: number
  readonly dustRelayFee: FeeRate
  readonly minRelayFee: FeeRate
  readonly incrementalRelayFee: FeeRate
  readonly bytesPerSigOp: number
  readonly cluster: ClusterLimits
}

/** Defaults for settings that the operator does not set. */
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
