import type { IpcError, Metric } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { requestFailed } from "./api-call.ts"

/** Maximum number of metrics of one module, counting each combination of labels. */
export const MAX_METRICS = 256
const MAX_LABELS = 8
const MAX_TEXT = 128
const MAX_HISTOGRAM_VALUES = 1_024

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/** The newest value of each metric that one module reported. */
export interface ReportedMetrics {
  readonly report: (metric: Metric) => Effect.Effect<void, IpcError>
  readonly all: () => ReadonlyArray<Metric>
}

const isText = (text: string): boolean => text.length <= MAX_TEXT

/** Returns the reason to reject a metric, or `undefined` if it is valid. */
const fault = ({ labels, name, value }: Metric): string | undefined => {
  if (!NAME.test(name) || !isText(name)) return `a metric's name has up to ${MAX_TEXT} ASCII letters, digits and _`
  if (labels.size > MAX_LABELS || ![...labels].flat().every(isText)) {
    return `a metric has up to ${MAX_LABELS} labels of up to ${MAX_TEXT} characters`
  }
  return value._tag === "Histogram" && value.values.length > MAX_HISTOGRAM_VALUES
    ? `a histogram has up to ${MAX_HISTOGRAM_VALUES} values`
    : undefined
}

const keyOf = ({ labels, name }: Metric): string =>
  JSON.stringify([name, ...[...labels].toSorted(([a], [b]) => a < b ? -1 : 1)])

/** An empty set of metrics. */
export const reportedMetrics = (): ReportedMetrics => {
  const newest = new Map<string, Metric>()
  return {
    all: () => [...newest.values()],
    report: (metric) =>
      Effect.suspend(() => {
        const wrong = fault(metric)
        if (wrong !== undefined) return Effect.fail(requestFailed(wrong))
        const key = keyOf(metric)
        if (newest.size >= MAX_METRICS && !newest.has(key)) {
          return Effect.fail({ kind: "ResourceExhausted", text: `a module has up to ${MAX_METRICS} metrics` } as const)
        }
        newest.set(key, metric)
        return Effect.void
      })
  }
}
