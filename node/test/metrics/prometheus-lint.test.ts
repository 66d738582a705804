import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { type MetricFacts, type MetricName, METRICS } from "../../src/metrics/catalogue.ts"
import { histogramOf, observe } from "../../src/figures/histogram.ts"
import { prometheusText } from "../../src/metrics/prometheus-text.ts"
import { sample } from "../../src/metrics/sample.ts"

const FACTS: ReadonlyArray<readonly [name: string, facts: MetricFacts]> = Object.entries(METRICS)

/** A sample of every metric, with a value for each of its labels. */
const everyMetric = (): string => {
  const durations = histogramOf([0.1, 1])
  observe(durations, 0.5)
  return prometheusText(
    FACTS.map(([name, { kind, labels }]) =>
      sample(
        name as MetricName,
        kind === "histogram" ? durations : 1,
        Object.fromEntries(labels.map((label) => [label, label === "quantile" ? "0.5" : "a"]))
      )
    )
  )
}

describe("the metrics as Prometheus' own linter judges them", () => {
  it("have the label quantile where they are summaries alone, and le nowhere but where the text adds it", () => {
    for (const [name, { kind, labels }] of FACTS) {
      assert.strictEqual(labels.includes("quantile"), kind === "summary", name)
      assert.notInclude(labels, "le", name)
    }
  })

  it("have no suffix of another kind, no kind in their names, and a description", () => {
    for (const [name, { help, kind }] of FACTS) {
      assert.notMatch(name, /_(?:count|sum|bucket|info_total)$/, name)
      assert.notMatch(name, /_(?:counter|gauge|histogram|summary)(?:_|$)/, name)
      assert.notMatch(name, /_(?:milliseconds|ms|minutes|hours|kilobytes|kb|mb|percent)(?:_|$)/, name)
      assert.notStrictEqual(help, name)
      assert.isNotEmpty(kind)
    }
  })

  const hasPromtool = spawnSync("promtool", ["--version"]).status === 0
  it.runIf(hasPromtool)("pass `promtool check metrics` of Debian's package prometheus, which is installed here", () => {
    const { status, stderr, stdout } = spawnSync("promtool", ["check", "metrics"], { input: everyMetric() })
    assert.deepStrictEqual([String(stdout), String(stderr), status], ["", "", 0])
  })
})
