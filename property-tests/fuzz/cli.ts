import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Command, HELP, readCommand } from "./command-line.ts"
import { fuzzTarget } from "./run/fuzz-target.ts"
import { openSession } from "./run/session.ts"
import { type AnyTarget, targetsOf } from "./target.ts"

const fuzz = async (
  { targets: names, seconds, seed, vectors, corpus }: Extract<Command, { type: "fuzz" }>,
  modules: ReadonlyArray<string>,
  all: ReadonlyArray<AnyTarget>
): Promise<number> => {
  const targets = all.filter(({ name }) => names.includes(name))
  console.log(`fuzz: seed ${seed}, ${seconds} s over ${targets.length} target${targets.length === 1 ? "" : "s"}`)
  let introduced = false
  const scratch = mkdtempSync(join(tmpdir(), "lockstep-fuzz-"))
  const session = openSession({ modules, vectors, corpus, scratch }, (answer) => {
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
      `${target.name.padEnd(18)} ${outcome.seconds.toFixed(1).padStart(6)} s ${
        String(outcome.executions).padStart(9)
      } executions ` +
        `${String(rate).padStart(6)}/s  ${
          outcome.findings.length === 0 ? "nothing found" : `${outcome.findings.length} FOUND`
        }`
    )
    for (const line of [...outcome.findings, ...outcome.notes]) console.log(`  ${line}`)
  }
  await session.close()
  rmSync(scratch, { recursive: true, force: true })
  console.log(`fuzz: ${executions} executions, ${findings} finding${findings === 1 ? "" : "s"} (seed ${seed})`)
  return findings === 0 ? 0 : 1
}

/** Carries out a command line over the targets of some modules; answers the exit code. */
export const fuzzCli = async (args: ReadonlyArray<string>, modules: ReadonlyArray<string>): Promise<number> => {
  const targets = await targetsOf(modules)
  const command = readCommand(args, process.env["LOCKSTEP_VECTORS"], targets.map(({ name }) => name))
  switch (command.type) {
    case "help":
      console.log(HELP)
      return 0
    case "list":
      for (const { name, about } of targets) console.log(`${name.padEnd(18)} ${about}`)
      return 0
    case "wrong":
      console.error(`fuzz: ${command.message}\nTry pnpm fuzz --help.`)
      return 2
    case "fuzz":
      return fuzz(command, modules, targets)
  }
}
