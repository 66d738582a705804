import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { chainOfFile, hex } from "../company/served-chain.ts"
import { wireNodes } from "../sockets/wire-node.ts"
import { resumeRounds } from "./resume-rounds.ts"
import { patience } from "../../process/patience.ts"
import { typedOptions } from "../../process/typed-options.ts"

/** `pnpm test:resume`: kills a node at moments of chance while it fetches a chain, and counts what it fetches again. */

const USAGE = `pnpm test:resume [options]
  --chain DIR     what gen_chain.py made (default: LOCKSTEP_BENCH_CHAIN)
  --rounds N      how often a node is killed (default: 20)
  --seed N        the same moments as another run with it (default: another each time; printed)
  --length N      milliseconds of a whole sync (default: 9000)
  --in-transit N  blocks that may be on their way (default: 128)`

const { values } = typedOptions(USAGE, {
  chain: { type: "string" },
  rounds: { type: "string", default: "20" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  length: { type: "string", default: "9000" },
  "in-transit": { type: "string", default: "128" }
})
const chain = values.chain ?? process.env["LOCKSTEP_BENCH_CHAIN"]
const file = chain === undefined ? undefined : join(chain, "blocks.dat")
const counts = [values.rounds, values.seed, values.length, values["in-transit"]].map(Number)
const [rounds, seed, length, inTransit] = counts as [number, number, number, number]
if (
  file === undefined || !existsSync(file) || ![rounds, seed, length, inTransit].every(Number.isSafeInteger) ||
  Math.min(rounds, length, inTransit) < 1
) {
  console.error(`--chain is a directory with blocks.dat, the others are whole numbers from 1

${USAGE}`)
  process.exit(2)
}

const nodes = wireNodes()
try {
  console.log(`${rounds} rounds, seed ${seed}`)
  const found = await resumeRounds({
    nodes,
    file,
    tip: hex(chainOfFile(readFileSync(file)).blocks.at(-1)!.hash.toReversed()),
    coins: undefined,
    rounds,
    seed,
    length,
    patience: patience(600_000),
    inTransit,
    args: ["--set", "validation.script_workers=2"],
    onRound: (
      { again, asked, askedAfter, committedAgain, heightAfter, heldBytes, killedAfter, onTheWay, stored, storedAgain }
    ) =>
      console.log(
        `killed after ${killedAfter} ms: ${asked} asked for, ${stored} stored, at most ${onTheWay} on their way, ${heldBytes} bytes ` +
          `of others in memory, height ${heightAfter} after it; then ${askedAfter} asked for, ${again} of them again ` +
          `(${storedAgain} of those stored, ${committedAgain} committed)`
      )
  })
  const sum = (figure: (round: typeof found[number]) => number): number =>
    found.reduce((total, round) => total + figure(round), 0)
  console.log(`in all ${sum(({ again }) => again)} blocks again; none of them was in a file`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  await nodes.end()
}
