import type { AvailableProvider } from "../../crypto/src/index.ts"
import { createMachine, verifyScript } from "../../kernel/src/index.ts"
import { type Effort, median, race, ratio, type Timing } from "../measure.ts"
import type { Row } from "../row.ts"
import { judgeable, MEASURED_KINDS, type SignedSpend, signedSpends } from "../spends.ts"
import { rawCallsOf } from "./raw-calls.ts"

/** Timings of the bare calls, of judging, and of decoding and judging. */
const measure = (
  arriving: ReadonlyArray<SignedSpend>,
  { crypto }: AvailableProvider,
  effort: Effort
): ReadonlyArray<Timing> => {
  const machine = createMachine(crypto)
  const spends = arriving.map((spend) => judgeable(spend, crypto))
  const raw = spends.map((spend) => rawCallsOf(spend, crypto))
  const at = (call: number): number => call % spends.length
  return race([
    (call) => raw[at(call)]!.forEach((ask) => ask()),
    (call) => verifyScript(machine, spends[at(call)]!),
    (call) => verifyScript(machine, judgeable(arriving[at(call)]!, crypto))
  ], effort)
}

const rowOf = (name: string, provider: string, timing: Timing, raw: Timing): Row => ({
  name,
  provider,
  value: 1 / median(timing),
  unit: "inputs/s",
  // A rate is compared, so the quotient of the times is turned.
  ratio: ratio(raw, timing),
  to: "raw calls"
})

/**
 * How many inputs a second the kernel judges with each provider, by kind of output, and the share of bare calls for the
 * same signatures. Then the same with decoding and shared digests included.
 */
export const verificationRows = (providers: ReadonlyArray<AvailableProvider>, effort: Effort): ReadonlyArray<Row> =>
  MEASURED_KINDS.flatMap(([title, kind]) => {
    const spends = signedSpends(kind)
    return providers.flatMap((provider) => {
      const [raw, judged, everything] = measure(spends, provider, effort) as [Timing, Timing, Timing]
      return [
        rowOf(title, provider.name, judged, raw),
        rowOf(`${title}, decoded too`, provider.name, everything, raw)
      ]
    })
  })
