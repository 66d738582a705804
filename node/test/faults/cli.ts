import { type Counts, faultRounds } from "./rounds.ts"
import { seriesName, type SeriesOptions } from "./sample.ts"
import { typedOptions } from "../process/typed-options.ts"

/**
 * `pnpm test:faults`: lets system calls of a real node fail, one kind after another, and looks at what becomes of it.
 */

const USAGE = `pnpm test:faults [options]
  --rounds N        how many faults in all (default: 100)
  --seed N          the same faults as another run with it
  --backend NAME    only heed3, or only leveldb
  --scenario PART   only scenarios with this in their name: start, import, mine, reorganise, prune, rebuild
  --keep-going      do not end at the first finding`

const misused = (message: string): never => {
  console.error(`${message}\n\n${USAGE}`)
  process.exit(2)
}

const { values } = typedOptions(USAGE, {
  rounds: { type: "string", default: "100" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  backend: { type: "string" },
  scenario: { type: "string" },
  "keep-going": { type: "boolean", default: false }
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(rounds) || rounds < 1) {
  misused("--rounds and --seed are whole numbers")
}

const SERIES: ReadonlyArray<SeriesOptions> = [
  { backend: "heed3", indexes: true, prunes: false },
  { backend: "leveldb", indexes: true, prunes: false },
  { backend: "heed3", indexes: false, prunes: false },
  { backend: "leveldb", indexes: false, prunes: false },
  { backend: "heed3", indexes: true, prunes: true },
  { backend: "leveldb", indexes: true, prunes: true }
]

const series = SERIES.filter(({ backend }) => values.backend === undefined || backend === values.backend)
if (series.length === 0) misused("--backend is heed3 or leveldb")
const total: Counts = { rounds: 0, missed: 0, tolerated: 0, reported: 0, killed: 0, findings: 0 }
console.log(`fault test: ${rounds} rounds, seed ${seed}`)
try {
  for (const [i, each] of series.entries()) {
    const share = Math.floor((rounds * (i + 1)) / series.length) - Math.floor((rounds * i) / series.length)
    if (share === 0) continue
    console.log(`${seriesName(each)}: ${share} rounds`)
    const counts = await faultRounds({
      series: each,
      rounds: share,
      seed: seed + i,
      keepsGoing: values["keep-going"],
      ...(values.scenario === undefined ? {} : { scenario: values.scenario }),
      onRound: (text) => console.log(`  ${text}`)
    })
    for (const key of Object.keys(total) as Array<keyof Counts>) total[key] += counts[key]
  }
} catch (error) {
  total.findings++
  console.error(error instanceof Error ? error.message : String(error))
}
console.log(
  `seed ${seed}: ${total.rounds} rounds, ${total.reported} faults reported with their cause, ${total.tolerated} tolerated, ` +
    `${total.missed} not reached, ${total.killed} killed inside LMDB, ${total.findings} findings`
)
process.exit(total.findings === 0 ? 0 : 1)
