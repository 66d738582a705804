import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { wireNodes } from "../sockets/wire-node.ts"
import type { Character } from "./chain-peer.ts"
import { type CompanySync, syncInCompany } from "./company.ts"
import { chainOfFile, hex } from "./served-chain.ts"
import { patience } from "../../process/patience.ts"
import { typedOptions } from "../../process/typed-options.ts"

/**
 * `pnpm test:company`: how long a sync takes from one good peer, and from the same among a slow, a silent and a lying
 * one.
 */

const MOST = 1.3

const USAGE = `pnpm test:company [options]
  --chain DIR  what gen_chain.py made (default: LOCKSTEP_BENCH_CHAIN)
  --runs N     how often it is measured (default: 1)
  --slow N     bytes a second of the slow peer (default: 1000000)`

const { values } = typedOptions(USAGE, {
  chain: { type: "string" },
  runs: { type: "string", default: "1" },
  slow: { type: "string", default: "1000000" }
})
const chain = values.chain ?? process.env["LOCKSTEP_BENCH_CHAIN"]
const [runs, slowBytesPerSecond] = [Number(values.runs), Number(values.slow)]
const file = chain === undefined ? undefined : join(chain, "blocks.dat")
if (file === undefined || !existsSync(file) || !Number.isSafeInteger(runs) || runs < 1 || !(slowBytesPerSecond > 0)) {
  console.error(`--chain is a directory with blocks.dat, --runs and --slow are numbers from 1

${USAGE}`)
  process.exit(2)
}

const tip = hex(chainOfFile(readFileSync(file)).blocks.at(-1)!.hash.toReversed())
const nodes = wireNodes()

const sync = async (...characters: ReadonlyArray<Character>): Promise<CompanySync> => {
  const found = await syncInCompany({
    nodes,
    file,
    tip,
    characters,
    slowBytesPerSecond,
    args: ["--set", "validation.script_workers=2"],
    patience: patience(900_000)
  })
  const peers = found.peers.map(({ asked, isOpen, name, sent }) =>
    `${name}: ${sent} sent of ${asked}${isOpen ? "" : ", let go"}`
  )
  console.log(
    `${characters.join(", ")}: ${found.seconds.toFixed(1)} s; ${found.discouraged} discouraged; ${peers.join("; ")}`
  )
  return found
}

const middle = (list: ReadonlyArray<number>): number => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!

try {
  const [lied, forkedAway]: [Array<number>, Array<number>] = [[], []]
  for (let run = 0; run < runs; run++) {
    const alone = await sync("good")
    const lying = await sync("good", "slow", "staller", "liar")
    const forked = await sync("good", "slow", "staller", "forker")
    const again = await sync("good")
    const base = (alone.seconds + again.seconds) / 2
    lied.push(lying.seconds / base)
    forkedAway.push(forked.seconds / base)
    if (new Set([alone, lying, forked, again].map(({ coins }) => coins)).size !== 1) {
      throw new Error("the coins are not the same")
    }
  }
  await sync("slow", "staller", "liar")
  const ratio = middle([...lied, ...forkedAway])
  console.log(
    `${ratio <= MOST ? "holds" : "FAILS"}  ${ratio.toFixed(2)} of the time from the good peer alone (at most ${MOST})`
  )
  console.log(
    `       ${middle(lied).toFixed(2)} with the liar, ${
      middle(forkedAway).toFixed(2)
    } with the one whose longer chain is invalid`
  )
  if (ratio > MOST) process.exitCode = 1
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  await nodes.end()
}
