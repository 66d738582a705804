import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomOf } from "../crash/random.ts"
import { DAMAGES } from "./damages.ts"
import { makeSample } from "./sample.ts"
import { filesOf, runTrial } from "./trial.ts"
import { typedOptions } from "../process/typed-options.ts"

/** `pnpm test:corruption`: damages every file of a data directory in every way, and starts a node on it. */

const USAGE = `pnpm test:corruption [options]
  --seed N           the same chain and damage as another run with it
  --rounds N         how often everything is tried (default: 1)
  --backend NAME     only heed3, or only leveldb
  --indexes BOOLEAN  only with indexes (true), or only without
  --file PART        only files with this in their names
  --damage PART      only damage with this in its name
  --keep-going       do not end at the first fault`

const misused = (message: string): never => {
  console.error(`${message}\n\n${USAGE}`)
  process.exit(2)
}

const { values } = typedOptions(USAGE, {
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  rounds: { type: "string", default: "1" },
  backend: { type: "string" },
  indexes: { type: "string" },
  file: { type: "string" },
  damage: { type: "string" },
  "keep-going": { type: "boolean", default: false }
})

const seed = Number(values.seed)
const rounds = Number(values.rounds)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(rounds) || rounds < 1) {
  misused("--seed and --rounds are whole numbers")
}

const root = mkdtempSync(join(tmpdir(), "lockstep-corruption-"))
let faults = 0
console.log(`corruption test: ${rounds} rounds, seed ${seed}`)
for (const backend of ["heed3", "leveldb"] as const) {
  for (const indexes of [false, true]) {
    if ((values.backend ?? backend) !== backend || (values.indexes ?? String(indexes)) !== String(indexes)) continue
    const sample = await makeSample(join(root, `${backend}-${indexes}`), { backend, indexes, seed })
    const random = randomOf(seed)
    for (let round = 0; round < rounds; round++) {
      for (const file of filesOf(sample).filter((name) => name.includes(values.file ?? ""))) {
        for (const damage of DAMAGES.filter(({ name }) => name.includes(values.damage ?? ""))) {
          const started = performance.now()
          try {
            const said = await runTrial({ sample, file, damage }, join(root, "trial"), random)
            if (said !== undefined) {
              console.log(
                `${backend}${indexes ? " indexes" : ""} ${file} ${damage.name}: ${said} (${
                  Math.round(performance.now() - started)
                } ms)`
              )
            }
          } catch (error) {
            faults++
            console.log(`FAULT: ${(error as Error).message}`)
            if (!values["keep-going"]) process.exit(1)
          }
        }
      }
    }
  }
}
rmSync(root, { recursive: true })
console.log(faults === 0 ? "no fault" : `${faults} faults`)
process.exit(faults === 0 ? 0 : 1)
