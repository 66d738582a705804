import { existsSync } from "node:fs"
import { join } from "node:path"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { type WireNode, type WireNodes, wireNodes } from "../sockets/wire-node.ts"
import { junkFaults, junkReportOf } from "./junk/report.ts"
import { junkTrial } from "./junk/trial.ts"
import { reportOf, verdictsOf } from "./report.ts"
import { ATTACKED, type Target, type Trial, trial } from "./trial.ts"
import { typedOptions } from "../../process/typed-options.ts"

/**
 * `pnpm test:hostile`: with `--junk`, 100 peers send so many junk transactions while honest ones relay theirs. Else a node syncs and follows while very many hostile connections are kept up; beside it runs without
 * them.
 */

const USAGE = `pnpm test:hostile [options]
  --connections N  hostile connections that are kept up (default: 1000)
  --seconds N      how long the attack goes on at least (default: 300)
  --seed N         the same attack as another run with it (default: another each time; printed)
  --bytes N        bytes a second that each connection sends at most (default: 20000)
  --messages N     messages a second that each connection sends at most (default: 20)
  --retry N        milliseconds after which a lost connection comes back (default: 1000)
  --chain DIR      sync a chain that gen_chain.py made (default: LOCKSTEP_BENCH_CHAIN, else a short one)
  --quiet-run      also measure a sync without any attack
  --junk N         instead: 100 peers send so many junk transactions`

/** Blocks of the chain that is made where none is given. */
const SHORT_CHAIN = 2_000

const WARM_UP_SECONDS = 15

const { values } = typedOptions(USAGE, {
  connections: { type: "string", default: "1000" },
  seconds: { type: "string", default: "300" },
  seed: { type: "string", default: String(Date.now() % 1_000_000) },
  bytes: { type: "string", default: "20000" },
  messages: { type: "string", default: "20" },
  retry: { type: "string", default: "1000" },
  chain: { type: "string" },
  junk: { type: "string" },
  "quiet-run": { type: "boolean", default: false }
})

const [connections, seconds, seed, bytesPerSecond, messagesPerSecond, retryMilliseconds] = [
  values.connections,
  values.seconds,
  values.seed,
  values.bytes,
  values.messages,
  values.retry
].map(Number) as [number, number, number, number, number, number]
const chain = values.chain ?? process.env["LOCKSTEP_BENCH_CHAIN"]
const file = chain === undefined ? undefined : join(chain, "blocks.dat")

if (
  ![connections, seconds, seed, bytesPerSecond, messagesPerSecond, retryMilliseconds].every((value) =>
    Number.isSafeInteger(value) && value >= 0
  )
) {
  console.error(`All but --chain are whole numbers\n\n${USAGE}`)
  process.exit(2)
}
if (values.junk !== undefined && !/^[1-9]\d*$/.test(values.junk)) {
  console.error(`--junk is a whole number\n\n${USAGE}`)
  process.exit(2)
}
if (file !== undefined && !existsSync(file)) {
  console.error(
    `There is no ${file}: --chain is a directory that gen_chain.py made; without it a chain without signatures is used.`
  )
  process.exit(2)
}

const honestNode = async (nodes: WireNodes): Promise<WireNode> => {
  if (file !== undefined) await nodes.importInto("honest", file)
  const honest = await nodes.start("honest")
  if (file === undefined) {
    for (let at = 0; at < SHORT_CHAIN; at += 100) await honest.call("generatetoaddress", 100, OPEN_ADDRESS)
  }
  return honest
}

const nodes = wireNodes()

const junk = async (transactions: number): Promise<void> => {
  console.log(`100 peers send ${transactions} junk transactions, seed ${seed}`)
  const result = await junkTrial({ nodes, peers: 100, transactions, seed, honest: 100, everyMs: 1_000 })
  console.log(junkReportOf(result))
  const faults = junkFaults(result)
  for (const fault of faults) console.log(`FAILS ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

const connectionFlood = async (): Promise<void> => {
  console.log(
    `${connections} hostile connections, ${seconds} s, seed ${seed}; each sends at most ${bytesPerSecond} bytes and ` +
      `${messagesPerSecond} messages a second, and comes back ${retryMilliseconds} ms after it was lost`
  )
  const honest = await honestNode(nodes)
  const attack = { connections, seed, bytesPerSecond, messagesPerSecond, retryMilliseconds }
  const run = (target: Target, length: number): Promise<Trial> => {
    console.error(
      `${
        target === "none"
          ? "nothing is attacked"
          : target === "sink"
          ? "a program that does nothing is attacked"
          : "the node is attacked"
      } …`
    )
    const args = ["--set", "validation.script_workers=2", ...ATTACKED]
    return trial({ nodes, honest, target, attack, warmUpSeconds: WARM_UP_SECONDS, seconds: length, args })
  }
  const quiet = values["quiet-run"] ? await run("none", 0) : undefined
  const control = await run("sink", 0)
  const attacked = await run("node", seconds)
  console.log(reportOf({ quiet, control, attacked }))
  const verdicts = verdictsOf(control, attacked)
  for (const { holds, text } of verdicts) console.log(`${holds ? "holds " : "FAILS "} ${text}`)
  if (verdicts.some(({ holds }) => !holds)) process.exitCode = 1
}

try {
  await (values.junk === undefined ? connectionFlood() : junk(Number(values.junk)))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  await nodes.end()
}
