import { parseArgs } from "node:util"
import { crashRounds } from "./rounds.ts"
import { CRASH_POINTS } from "../../src/engine/crash-point.ts"

/** `pnpm test:crash`: kills a real node under load, again and again, on every engine. */

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    backend: { type: "string" }
  }
})

const seed = Number(values.seed)
const rounds = Number(values.rounds)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(rounds) || rounds < 1) {
  console.error("--rounds and --seed are whole numbers: pnpm test:crash --rounds 200 --seed 7")
  process.exit(2)
}

// Plain, with both indexes, and with pruning, on both engines: the rounds are shared out among them.
const SERIES = [
  { backend: "heed3", indexes: false },
  { backend: "heed3", indexes: true },
  { backend: "leveldb", indexes: true },
  { backend: "heed3", indexes: false, prunes: true }
] as const

console.log(`crash test: ${rounds} rounds, seed ${seed}`)
try {
  const series = SERIES.filter(({ backend }) => values.backend === undefined || backend === values.backend)
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
      onRound: (round, text) => console.log(`  ${round + 1}: ${text}`)
    })
  }
  console.log("every round: no rebuild, nothing answered was lost, coins and indexes as on a clean node")
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
