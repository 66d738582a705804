import { type MetricFacts, type MetricName, METRICS } from "./catalogue.ts"
import type { Histogram } from "../figures/histogram.ts"
import type { Sample } from "./sample.ts"

/** Content type of {@link prometheusText}. */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\"", "\\\"")

const number = (value: number): string =>
  Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN"

const labelled = (labels: Readonly<Record<string, string>>): string => {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return parts.length === 0 ? "" : `{${parts.join(",")}}`
}

const histogramLines = (name: string, labels: Sample["labels"], { bounds, count, counts, sum }: Histogram): string => {
  let below = 0
  const buckets = bounds.map((bound, i) => {
    below += counts[i]!
    return `${name}_bucket${labelled({ ...labels, le: number(bound) })} ${below}\n`
  })
  const all = `${name}_bucket${labelled({ ...labels, le: "+Inf" })} ${count}\n`
  return `${buckets.join("")}${all}${name}_sum${labelled(labels)} ${number(sum)}\n${name}_count${
    labelled(labels)
  } ${count}\n`
}

const sampleLines = ({ labels, name, value }: Sample): string =>
  typeof value === "number" ? `${name}${labelled(labels)} ${number(value)}\n` : histogramLines(name, labels, value)

const headLines = (name: MetricName, { help, kind }: MetricFacts): string =>
  `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${kind}\n`

/** Formats samples in Prometheus' text format, metric by metric. A metric without samples is omitted. */
export const prometheusText = (samples: ReadonlyArray<Sample>): string => {
  const byName = new Map<MetricName, Array<Sample>>()
  for (const each of samples) byName.set(each.name, [...byName.get(each.name) ?? [], each])
  return (Object.keys(METRICS) as ReadonlyArray<MetricName>).map((name) => {
    const found = byName.get(name)
    return found === undefined ? "" : headLines(name, METRICS[name]) + found.map(sampleLines).join("")
  }).join("")
}
