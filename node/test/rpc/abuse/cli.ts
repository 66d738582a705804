import { startAbusedNode } from "./abused-node.ts"
import { ABUSES, servesOthers } from "./abuses.ts"
import { until } from "./raw-connection.ts"
import { typedOptions } from "../../process/typed-options.ts"

/** `pnpm test:abuse`: treats one node badly in every way, round after round, and watches its memory and its handles. */

const MEBIBYTE = 1024 * 1024

/** The first rounds are those in which code is compiled and memory is first taken. */
const SETTLING_ROUNDS = 3

/** What a node may grow by from then on. Whatever leaks leaks each time, and so more than that. */
const MOST_GROWTH = 150 * MEBIBYTE

const USAGE = `pnpm test:abuse [options]
  --rounds N  how often everything is done to the node (default: 10)`

const { values } = typedOptions(USAGE, { rounds: { type: "string", default: "10" } })
const rounds = Number(values.rounds)
if (!Number.isSafeInteger(rounds) || rounds < 1) {
  console.error(`--rounds is a number of rounds\n\n${USAGE}`)
  process.exit(2)
}

const abused = await startAbusedNode()
const handles = abused.handles()
let settled = 0
try {
  console.log(`at rest: ${Math.round(abused.memory().now / MEBIBYTE)} MiB, ${handles} handles`)
  for (let round = 1; round <= rounds; round++) {
    const start = performance.now()
    for (const { run, what } of ABUSES) {
      try {
        await run(abused, 1)
        await servesOthers(abused)
        await until("everything that was opened is closed", () => abused.handles() <= handles + 8)
      } catch (error) {
        throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
      }
    }
    const { most, now } = abused.memory()
    if (round <= SETTLING_ROUNDS) settled = Math.max(settled, now)
    const seconds = ((performance.now() - start) / 1_000).toFixed(1)
    console.log(
      `round ${round}: ${seconds} s, ${Math.round(now / MEBIBYTE)} MiB now, ${
        Math.round(most / MEBIBYTE)
      } MiB at most, ${abused.handles()} handles`
    )
    if (round > SETTLING_ROUNDS && now - settled > MOST_GROWTH) throw new Error("the node takes more and more memory")
  }
  console.log("the node is well")
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  await abused.end()
}
