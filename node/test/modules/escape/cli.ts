import * as Effect from "effect/Effect"
import { findConfinement } from "../../../src/modules/sandbox/confinement.ts"
import { outsideOf } from "../../p2p/hostile/node-under-attack.ts"
import { typedOptions } from "../../process/typed-options.ts"
import { ATTACKS } from "./attacks.ts"
import { BYSTANDER, BYSTANDER_ON_DISK } from "./bystander.ts"
import { cycle, cycleFaults } from "./cycles.ts"
import { healthProbe, p99 } from "./health-probe.ts"
import { type ModuleNode, processesOf, startModuleNode, untilHolds } from "./module-node.ts"
import { trialOf } from "./trial.ts"

/** `pnpm test:modules`: loads modules that mean harm into a node, one after another, and sees what they come to. */

const USAGE = `pnpm test:modules [options]
  --only NAME   try this hostile module alone
  --cycles N    then load and unload a module so often, and look for leaks (default: 50)
  --quiet-ms N  milliseconds that 99 of 100 answers about the node's health may take (default: 50)`

const MEBIBYTE = 1_048_576

/** How long the node's health is measured before anything happens to it. */
const CONTROL_MS = 3_000

const { values } = typedOptions(USAGE, {
  only: { type: "string" },
  cycles: { type: "string", default: "50" },
  "quiet-ms": { type: "string", default: "50" }
})
const [cycles, limit] = [Number(values.cycles), Number(values["quiet-ms"])]
const attacks = ATTACKS.filter(({ name }) => values.only === undefined || name === values.only)
if (!Number.isSafeInteger(cycles) || cycles < 0 || !Number.isSafeInteger(limit) || limit < 1 || attacks.length === 0) {
  console.error(
    `${
      attacks.length === 0 ? `There is no module ${values.only}` : "--cycles and --quiet-ms are whole numbers"
    }\n\n${USAGE}`
  )
  process.exit(2)
}
const confinement = await Effect.runPromise(findConfinement())
if (confinement._tag === "None") {
  console.error(`Modules cannot be confined here: ${confinement.reason}`)
  process.exit(2)
}

const faults: Array<string> = []
const milliseconds = (value: number): string => `${value.toFixed(1)} ms`

/** Every hostile module by itself, with the health of the node meanwhile. */
const tryAll = async (node: ModuleNode): Promise<void> => {
  const probe = healthProbe(node.node.port)
  await new Promise((resolve) => setTimeout(resolve, CONTROL_MS))
  const control = p99(probe.since())
  console.log(`health of the node at rest: p99 ${milliseconds(control)}`)
  let [answers, worst]: [number, number] = [0, 0]
  const all: Array<number> = []
  for (const module of attacks) {
    try {
      const { bystander, ending } = await trialOf(node, module)
      const health = probe.since()
      all.push(...health)
      answers += bystander.answers
      worst = Math.max(worst, bystander.longest)
      console.log(`${module.name.padEnd(28)} p99 ${milliseconds(p99(health)).padStart(9)}  ${ending.slice(0, 90)}`)
    } catch (error) {
      faults.push(`${module.name}, which ${module.does}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  probe.end()
  const seen = p99(all.toSorted((a, b) => a - b))
  console.log(
    `${
      attacks.length - faults.length
    } of ${attacks.length} hostile modules refused or contained; health of the node p99 ` +
      `${milliseconds(seen)} of ${all.length} answers; the bystander had ${answers} answers, the slowest after ${
        milliseconds(worst)
      }`
  )
  if (seen > limit && control <= limit) faults.push(`99 of 100 answers about health took up to ${milliseconds(seen)}`)
  if (control > limit) console.log("the machine is too busy to judge that: the node at rest is as slow")
}

const tryCycles = async (node: ModuleNode): Promise<void> => {
  if (cycles === 0) return
  const figures = await cycle(node, cycles, (i) => i % 100 === 0 && console.error(`${i} cycles`))
  const { handles, left, memory, seconds } = figures
  console.log(
    `${cycles} cycles of loading and unloading in ${seconds.toFixed(0)} s: open files ${handles.join(" → ")}, memory ${
      memory.map((each) => Math.round(each / MEBIBYTE)).join(" → ")
    } MiB, ${left} sockets and processes left`
  )
  faults.push(...cycleFaults(figures))
}

/** The node is killed while modules run. */
const tryKill = async (node: ModuleNode): Promise<void> => {
  node.node.signal("SIGKILL")
  const start = performance.now()
  await untilHolds(() => processesOf(BYSTANDER).length === 0, () => `${processesOf(BYSTANDER).join()} outlive the node`)
  console.log(`after SIGKILL of the node no module is left, ${milliseconds(performance.now() - start)} later`)
}

const node = await startModuleNode()
try {
  node.put(BYSTANDER_ON_DISK)
  await node.call("loadmodule", BYSTANDER)
  const before = outsideOf(node.node.pid)
  await tryAll(node)
  await tryCycles(node)
  const after = outsideOf(node.node.pid)
  console.log(
    `the node: open files ${before.handles} → ${after.handles}, memory ${Math.round(before.memory / MEBIBYTE)} → ${
      Math.round(after.memory / MEBIBYTE)
    } MiB, at most ${Math.round(after.mostMemory / MEBIBYTE)} MiB`
  )
  await tryKill(node)
} catch (error) {
  faults.push(error instanceof Error ? error.message : String(error))
} finally {
  await node.end()
}
for (const fault of faults) console.log(`FAILS ${fault}`)
console.log(faults.length === 0 ? "all hold" : `${faults.length} do not hold`)
process.exitCode = faults.length === 0 ? 0 : 1
