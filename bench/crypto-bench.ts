import type { BenchRun, BenchSettings } from "./bench.ts"
import { benchCryptoProviders } from "./crypto-providers.ts"

/** What the others are compared with: the provider that is always there. */
const REFERENCE = "noble"

/** The crypto providers by themselves. */
export const cryptoBench = ({ effort, onStep, providers }: BenchSettings): BenchRun => {
  onStep("asking the crypto providers")
  const measured = benchCryptoProviders({ providers, rounds: effort.runs, millisecondsPerRound: effort.milliseconds })
  const rows = measured.map(({ name, opsPerSecond, provider }) => {
    const reference = measured.find((row) => row.name === name && row.provider === REFERENCE)
    return {
      name,
      provider,
      value: opsPerSecond,
      unit: "calls/s",
      ...(reference !== undefined && { ratio: opsPerSecond / reference.opsPerSecond, to: REFERENCE })
    }
  })
  return { rows, targets: [], second: "by the clock" }
}
