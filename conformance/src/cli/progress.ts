import { clearLine, cursorTo } from "node:readline"
import type { Watcher } from "../run/execute.ts"
import type { Plan } from "../run/plan.ts"
import type { Unit } from "../run/result.ts"
import { print } from "./print.ts"

const MILLISECONDS_BETWEEN_LINES = 100

const number = (value: number): string => value.toLocaleString("en-US")

/** Shows how a run goes on, and tidies up when it is over. */
export interface Progress extends Watcher {
  readonly end: () => void
}

/** One live line: the suite being judged, cases so far, their rate. */
const liveProgress = (plan: Plan): Progress => {
  const out = process.stdout
  const started = performance.now()
  let [cases, failures, unitsDone, last] = [0, 0, 0, 0]
  const draw = (text: string): void => {
    cursorTo(out, 0)
    out.write(text.slice(0, (out.columns || 80) - 1))
    clearLine(out, 1)
  }
  return {
    judged: ({ suite }: Unit, judged, failed) => {
      cases += judged
      failures += failed
      const now = performance.now()
      if (now - last < MILLISECONDS_BETWEEN_LINES) return
      last = now
      const rate = Math.round(cases / ((now - started) / 1000))
      const failing = failures === 0 ? "" : `, ${number(failures)} failed`
      draw(
        `${suite.padEnd(22)} ${number(cases)} cases, ${
          number(rate)
        }/s${failing}  [${unitsDone} of ${plan.units.length} files]`
      )
    },
    done: () => {
      unitsDone++
    },
    end: () => draw("")
  }
}

/** One line a suite and source, when its last file is done. */
const plainProgress = (plan: Plan): Progress => {
  const key = ({ suite, source }: Unit): string => `${suite} ${plan.sources[source]!.label}`
  const left = new Map<string, number>()
  const counts = new Map<string, { passed: number; failed: number }>()
  for (const unit of plan.units) left.set(key(unit), (left.get(key(unit)) ?? 0) + 1)
  return {
    judged: () => {},
    done: ({ unit, passed, failed }) => {
      const so = counts.get(key(unit)) ?? { passed: 0, failed: 0 }
      counts.set(key(unit), { passed: so.passed + passed, failed: so.failed + failed })
      left.set(key(unit), left.get(key(unit))! - 1)
      if (left.get(key(unit)) !== 0) return
      const total = counts.get(key(unit))!
      const failing = total.failed === 0 ? "" : `, ${number(total.failed)} failed`
      print(`${unit.suite} (${plan.sources[unit.source]!.label}): ${number(total.passed)} passed${failing}`)
    },
    end: () => {}
  }
}

/** Progress for where standard output goes: a live line on a terminal, plain lines elsewhere. */
export const progressOf = (plan: Plan): Progress => process.stdout.isTTY ? liveProgress(plan) : plainProgress(plan)
