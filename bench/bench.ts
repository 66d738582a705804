import type { AvailableProvider } from "../crypto/src/index.ts"
import type { Effort } from "./measure.ts"
import type { Row, Target } from "./row.ts"
import type { TransportName } from "./sync/transport-names.ts"

/** What a bench is asked to do. `providers` has at least one. */
export interface BenchSettings {
  readonly providers: ReadonlyArray<AvailableProvider>
  readonly effort: Effort
  readonly quick: boolean
  readonly vectors: ReadonlyArray<string>
  /** Directory of the bench chain, if one was named. */
  readonly chain: string | undefined
  /** Those that the sync is measured over one by one; none: it is measured as it is by default. */
  readonly transports: ReadonlyArray<TransportName>
  readonly onStep: (step: string) => void
}

/** What a bench has found. */
export interface BenchRun {
  readonly rows: ReadonlyArray<Row>
  readonly targets: ReadonlyArray<Target>
  /** What a second in the figures is. */
  readonly second: string
}

/** A bench that can be asked for by name. */
export interface Bench {
  readonly name: string
  readonly what: string
  readonly run: (settings: BenchSettings) => BenchRun | Promise<BenchRun>
}
