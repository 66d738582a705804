import { HELP, readCommand } from "./command-line.ts"
import { fuzzTarget } from "./run/fuzz-target.ts"
import { openSession } from "./run/session.ts"
import { TARGETS } from "./targets/all.ts"

const command = readCommand(process.argv.slice(2), process.env["LOCKSTEP_VECTORS"])

const fuzz = async ({ targets, seconds, seed, vectors, corpus }: Extract<typeof command, { type: "fuzz" }>): Promise<number> => {
  console.log(`fuzz: seed ${seed}, ${seconds} s over ${targets.length} target${targets.length === 1 ? "" : "s"}`)
  let introduced = false
  const session = openSession({ vectors, corpus }, (answer) => {
    if (answer.type !== "ready" || introduced) return
    introduced = true
    console.log(`crypto: ${answer.providers.join(", ")}; seeds: ${answer.seeds}`)
  })
  let findings = 0
  let executions = 0
  for (const target of targets) {
    const outcome = await fuzzTarget(session, target, seed, seconds / targets.length)
    findings += outcome.findings.length
    executions += outcome.executions
    const rate = Math.round(outcome.executions / Math.max(0.001, outcome.seconds))
    console.log(
      `${target.padEnd(18)} ${outcome.seconds.toFixed(1).padStart(6)} s ${String(outcome.executions).padStart(9)} executions ` +
        `${String(rate).padStart(6)}/s  ${outcome.findings.length === 0 ? "nothing found" : `${outcome.findings.length} FOUND`}`
    )
    for (const line of [...outcome.findings, ...outcome.notes]) console.log(`  ${line}`)
  }
  await session.close()
  console.log(`fuzz: ${executions} executions, ${findings} finding${findings === 1 ? "" : "s"} (seed ${seed})`)
  return findings === 0 ? 0 : 1
}

switch (command.type) {
  case "help":
    console.log(HELP)
    break
  case "list":
    for (const { name, about } of TARGETS) console.log(`${name.padEnd(18)} ${about}`)
    break
  case "wrong":
    console.error(`fuzz: ${command.message}\nTry pnpm fuzz --help.`)
    process.exitCode = 2
    break
  case "fuzz":
    process.exitCode = await fuzz(command)
}
