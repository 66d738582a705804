import { CRASH_POINTS } from "../../src/engine/options/crash-point.ts"
import { mempoolCrashRounds } from "./mempool/rounds.ts"
import { crashRounds } from "./rounds.ts"
import { typedOptions } from "../process/typed-options.ts"

/**
 * `pnpm test:crash`: kills a real node under load, again and again, on every engine; with `--mempool`, while transactions
 * stream in.
 */

const USAGE = `pnpm test:crash [options]
  --rounds N      how often a node is killed (default: 200)
  --seed N        the same kills as another run with it (default: another each time; printed)
  --backend NAME  only heed3, or only leveldb
  --mempool       kill while transactions stream in`

const { values } = typedOptions(USAGE, {
  rounds: { type: "string", default: "200" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  backend: { type: "string" },
  mempool: { type: "boolean", default: false }
})

const { backend: wanted } = values
if (wanted !== undefined && wanted !== "heed3" && wanted !== "leveldb") {
  console.error(`--backend is heed3 or leveldb\n\n${USAGE}`)
  process.exit(2)
}
const seed = Number(values.seed)
const rounds = Number(values.rounds)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`--rounds and --seed are whole numbers\n\n${USAGE}`)
  process.exit(2)
}

// Plain, with both indexes, and with pruning, on both engines: the rounds are shared out among them.
const SERIES = [
  { backend: "heed3", indexes: false },
  { backend: "heed3", indexes: true },
  { backend: "leveldb", indexes: true },
  { backend: "heed3", indexes: false, prunes: true }
] as const

const onRound = (round: number, text: string): void => console.log(`  ${round + 1}: ${text}`)

const onEveryEngine = async (): Promise<void> => {
  const series = SERIES.filter(({ backend }) => wanted === undefined || backend === wanted)
  for (const [i, each] of series.entries()) {
    const share = Math.floor((rounds * (i + 1)) / series.length) - Math.floor((rounds * i) / series.length)
    console.log(
      `${each.backend}${each.indexes ? ", with indexes" : ""}${"prunes" in each ? ", pruned" : ""}: ${share} rounds`
    )
    await crashRounds({
      ...each,
      rounds: share,
      seed: seed + i,
      points: CRASH_POINTS,
      onRound
    })
  }
  console.log("every round: no rebuild, nothing answered was lost, coins and indexes as on a clean node")
}

const ofMempool = async (): Promise<void> => {
  await mempoolCrashRounds({ rounds, seed, onRound })
  console.log("every round: a start, and a valid mempool out of the last save")
}

console.log(`crash test: ${rounds} rounds, seed ${seed}`)
try {
  await (values.mempool ? ofMempool() : onEveryEngine())
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
