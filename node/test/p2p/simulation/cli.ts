import { planText } from "./plan/plan.ts"
import { planOf } from "./plan/plan-of.ts"
import { simulate } from "./simulate.ts"
import { typedOptions } from "../../process/typed-options.ts"

/** `pnpm simulate`: plays one seed, or one after another for a while. */

const USAGE = `pnpm simulate [options]
  --seed N     the first seed, or the only one (default: another each time; printed)
  --seconds N  one seed after another for so long (default: one seed)
  --trouble N  simulated seconds with trouble at most (default: 600)
  --trace      show all that happens`

const { values } = typedOptions(USAGE, {
  seed: { type: "string" },
  seconds: { type: "string" },
  trouble: { type: "string", default: "600" },
  trace: { type: "boolean", default: false }
})

const machineNow = Date.now
const wholeNumber = (name: string, text: string | undefined, otherwise: number): number => {
  const number = text === undefined ? otherwise : Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  console.error(`--${name} is a whole number\n\n${USAGE}`)
  process.exit(2)
}

const first = wholeNumber("seed", values.seed, machineNow() % 1_000_000)
const seconds = wholeNumber("seconds", values.seconds, 0)
const most = wholeNumber("trouble", values.trouble, 600)
const end = machineNow() + seconds * 1_000
const failed: Array<number> = []

let seed = first
do {
  const plan = planOf(seed, most)
  console.log(planText(plan))
  const began = machineNow()
  const { agreedAfter, digest, faults, height, last, lines, noticed } = await simulate(
    plan,
    values.trace ? (line) => void process.stdout.write(`${line}\n`) : undefined
  )
  if (faults.length > 0) {
    failed.push(seed)
    if (!values.trace) { for (const line of last) console.log(`  | ${line}`) }
    for (const fault of faults) console.log(`  FAULT ${fault}`)
  }
  const offences = [...noticed].map(([what, count]) => `${count} ${what}`).join(", ")
  console.log(
    `  ${faults.length === 0 ? "holds" : "FAILS"}: height ${height}, agreed after ${
      agreedAfter ?? "-"
    } s, ${lines} lines, ` +
      `${digest.slice(0, 16)}, ${((machineNow() - began) / 1_000).toFixed(1)} s\n  noticed: ${offences}`
  )
  seed++
} while (machineNow() < end)

if (failed.length > 0) {
  console.log(`failed: ${failed.join(", ")}; pnpm simulate --seed ${failed[0]} --trace shows all that happens`)
  process.exit(1)
}
