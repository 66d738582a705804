import { cutNode } from "./cut-node.ts"
import { cutStores } from "./cut-stores.ts"
import { typedOptions } from "../process/typed-options.ts"

/** `pnpm test:powercut`: cuts the power of both stores and of a real node, again and again, at any operation. */

const USAGE = `pnpm test:powercut [options]
  --cuts N        how often the power of a node is cut (default: 2000)
  --seed N        the same cuts as another run with it (default: another each time; printed)
  --backend NAME  only heed3, or only leveldb`

const { values } = typedOptions(USAGE, {
  cuts: { type: "string", default: "2000" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  backend: { type: "string" }
})

const { backend: wanted } = values
if (wanted !== undefined && wanted !== "heed3" && wanted !== "leveldb") {
  console.error(`--backend is heed3 or leveldb\n\n${USAGE}`)
  process.exit(2)
}
const seed = Number(values.seed)
const cuts = Number(values.cuts)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(cuts) || cuts < 1) {
  console.error(`--cuts and --seed are whole numbers\n\n${USAGE}`)
  process.exit(2)
}

// Plain, with both indexes, and with pruning, on both engines: the cuts are shared out among them.
const SERIES = [
  { backend: "heed3", indexes: true },
  { backend: "leveldb", indexes: true },
  { backend: "heed3", indexes: false, prunes: true },
  { backend: "leveldb", indexes: false, prunes: true }
] as const

/** A recording is worth so many cuts; then a new one is made. */
const PER_RECORDING = 200

console.log(`power cuts: ${cuts} of a node, seed ${seed}`)
try {
  const series = SERIES.filter(({ backend }) => wanted === undefined || backend === wanted)
  for (const engine of new Set(series.map(({ backend }) => backend))) {
    const count = await cutStores({
      engine,
      entries: 200,
      batches: 10,
      sessions: 4,
      seed,
      cutsPerStep: 4,
      oneStepIn: 1
    })
    console.log(`${engine}: ${count} cuts of the store alone`)
  }
  for (let done = 0, round = 0; done < cuts; done += PER_RECORDING, round++) {
    const each = series[round % series.length]!
    console.log(
      `${each.backend}${each.indexes ? ", with indexes" : ""}${"prunes" in each ? ", pruned" : ""}, seed ${
        seed + round
      }`
    )
    await cutNode({
      ...each,
      seed: seed + round,
      steps: 12,
      cuts: Math.min(PER_RECORDING, cuts - done),
      processEvery: 10,
      onCut: (cut, text) => console.log(`  ${done + cut + 1}: ${text}`)
    })
  }
  console.log("every cut: no rebuild, nothing answered was lost, coins and indexes as on a clean node")
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
