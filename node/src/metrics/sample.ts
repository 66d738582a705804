import type { MetricName } from "./catalogue.ts"
import type { Histogram } from "../figures/histogram.ts"

/** One measured value of a metric. A metric has a sample for each combination of labels that occurs. */
export interface Sample {
  readonly name: MetricName
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | Histogram
}

export const sample = (
  name: MetricName,
  value: number | Histogram,
  labels: Readonly<Record<string, string>> = {}
): Sample => ({ name, labels, value })
