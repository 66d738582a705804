import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Trace, type TraceInput, traceStep } from "./trace.ts"

/**
 * Makes `traces.json` of what Quint wrote:
 * `quint run lifecycle.qnt --backend=typescript --invariant=holds --max-steps=30 --n-traces=400 --out-itf=DIR/{seq}.itf.json`,
 * then `node traces-program.ts DIR > traces.json`. It keeps the traces that have a step which no trace before them has.
 */

interface Variant {
  readonly tag: string
  readonly value: unknown
}

interface ItfState {
  readonly restarts: boolean
  readonly phase: Variant
  readonly row: { readonly "#bigint": string }
  readonly wasLoaded: boolean
  readonly input: Variant
  readonly actions: ReadonlyArray<Variant>
}

const detailOf = (value: unknown): string => {
  const { "#bigint": whole, "#tup": fields } = value as { "#bigint"?: string; "#tup"?: ReadonlyArray<unknown> }
  if (whole !== undefined) return ` ${whole}`
  return fields === undefined
    ? ""
    : fields.map((field) => typeof field === "string" ? ` ${field}` : detailOf(field)).join("")
}

const traceIn = (states: ReadonlyArray<ItfState>): Trace => ({
  restarts: states[0]!.restarts,
  steps: states.slice(1).map(({ actions, input, phase, row, wasLoaded }) =>
    traceStep(
      input.tag as TraceInput,
      phase.tag,
      { row: Number(row["#bigint"]), wasLoaded },
      actions.map(({ tag, value }) => tag + detailOf(value))
    )
  )
})

const directory = process.argv[2]!
const traces = readdirSync(directory).filter((name) => name.endsWith(".itf.json")).toSorted().map((name) => {
  const { states } = JSON.parse(readFileSync(join(directory, name), "utf8")) as { states: ReadonlyArray<ItfState> }
  return traceIn(states)
})

const seen = new Set<string>()
const kept = traces.flatMap(({ restarts, steps }): ReadonlyArray<Trace> => {
  let last = 0
  for (const [i, step] of steps.entries()) {
    const before = i === 0 ? "" : JSON.stringify({ ...steps[i - 1], input: "", actions: [] })
    const key = `${restarts} ${before} ${JSON.stringify(step)}`
    if (!seen.has(key)) last = i + 1
    seen.add(key)
  }
  return last === 0 ? [] : [{ restarts, steps: steps.slice(0, last) }]
})

process.stdout.write(`[\n${kept.map((trace) => JSON.stringify(trace)).join(",\n")}\n]\n`)
