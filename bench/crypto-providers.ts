import { type AvailableProvider, describeProvider, detectProviders } from "../crypto/src/index.ts"
import { CRYPTO_SAMPLES } from "./crypto-samples.ts"

export interface CryptoRow {
  readonly name: string
  readonly provider: string
  readonly opsPerSecond: number
}

export interface CryptoBenchOptions {
  readonly providers?: ReadonlyArray<AvailableProvider>
  readonly rounds?: number
  readonly millisecondsPerRound?: number
}

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[values.length >> 1]!

const secondsFor = (count: number, ask: () => unknown): number => {
  const start = performance.now()
  for (let i = 0; i < count; i++) ask()
  return (performance.now() - start) / 1_000
}

/** How many calls take about `seconds`, after enough of them to have the code compiled. */
const countFor = (seconds: number, ask: () => unknown): number => {
  for (let count = 1;; count *= 2) {
    const taken = secondsFor(count, ask)
    if (taken >= seconds / 2) return Math.max(1, Math.round(count * seconds / taken))
  }
}

const onlyAvailable = (): ReadonlyArray<AvailableProvider> => detectProviders().filter((provider) => provider.available)

/**
 * Calls per second of every available provider: the median of several rounds. The providers take turns within a round,
 * so that a change in the speed of the machine reaches all of them and the ratios stand.
 */
export const benchCryptoProviders = (
  { millisecondsPerRound = 60, providers = onlyAvailable(), rounds = 7 }: CryptoBenchOptions = {}
): ReadonlyArray<CryptoRow> =>
  CRYPTO_SAMPLES.flatMap(([name, ask]) => {
    const runs = providers.map(({ crypto, name: provider }) => {
      const question = (): unknown => ask(crypto)
      return { provider, question, count: countFor(millisecondsPerRound / 1_000, question), rates: [] as Array<number> }
    })
    for (let round = 0; round < rounds; round++) {
      for (const { count, question, rates } of runs) rates.push(count / secondsFor(count, question))
    }
    return runs.map(({ provider, rates }) => ({ name, provider, opsPerSecond: median(rates) }))
  })

const describeRow = ({ name, opsPerSecond, provider }: CryptoRow, slowest: number): string =>
  [
    name.padEnd(30),
    provider.padEnd(14),
    Math.round(opsPerSecond).toLocaleString("en-US").padStart(12),
    `${(opsPerSecond / slowest).toFixed(1)}×`.padStart(9)
  ].join("")

const print = (rows: ReadonlyArray<CryptoRow>): void => {
  console.log(`${"operation".padEnd(30)}${"provider".padEnd(14)}${"per second".padStart(12)}${"to noble".padStart(10)}`)
  for (const row of rows) {
    const noble = rows.find(({ name, provider }) => name === row.name && provider === "noble")
    console.log(describeRow(row, noble?.opsPerSecond ?? row.opsPerSecond))
  }
}

if (import.meta.main) {
  for (const provider of detectProviders()) console.log(describeProvider(provider))
  console.log()
  print(benchCryptoProviders())
}
