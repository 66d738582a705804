import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { chainOfFile, hex } from "../company/served-chain.ts"
import { wireNodes } from "../sockets/wire-node.ts"
import { resumeRounds } from "./resume-rounds.ts"

/** `pnpm test:resume`: kills a node at moments of chance while it fetches a chain, and counts what it fetches again. */

const { values } = parseArgs({
  options: {
    chain: { type: "string" },
    rounds: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    length: { type: "string", default: "9000" }
  }
})
const chain = values.chain ?? process.env["LOCKSTEP_BENCH_CHAIN"]
const file = chain === undefined ? undefined : join(chain, "blocks.dat")
const [rounds, seed, length] = [values.rounds, values.seed, values.length].map(Number) as [number, number, number]
if (file === undefined || !existsSync(file) || ![rounds, seed, length].every(Number.isSafeInteger) || rounds < 1 || length < 1) {
  console.error("pnpm test:resume --chain DIR [--rounds 20] [--seed 7] [--length 9000]: DIR is what gen_chain.py made, --length milliseconds of a whole sync")
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
    patience: 600_000,
    mayFetchStored: true,
    args: ["--set", "validation.script_workers=2"],
    onRound: ({ again, asked, askedAfter, committedAgain, heightAfter, killedAfter, stored, storedAgain }) =>
      console.log(`killed after ${killedAfter} ms: ${asked} asked for, ${stored} stored, height ${heightAfter} after it; then ${askedAfter} ` +
        `asked for, ${again} of them again (${storedAgain} of those stored, ${committedAgain} committed)`)
  })
  const sum = (figure: (round: typeof found[number]) => number): number => found.reduce((total, round) => total + figure(round), 0)
  console.log(`in all ${sum(({ again }) => again)} blocks again, of which ${sum(({ storedAgain }) => storedAgain)} were stored behind the last commit; none was committed`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  await nodes.end()
}
