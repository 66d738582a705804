import type { Milliseconds } from "../quantities.ts"
import { type Component, type Status, STATUSES, worst } from "./component-health.ts"
import type { Settled } from "./settle.ts"

/** One component in a report. */
export interface ComponentReport {
  readonly component: Component
  readonly status: Status
  readonly message?: string
  /** Seconds since 1970. */
  readonly since: number
  readonly last_check: number
  /** Milliseconds that the engine took to answer; of the chain only. */
  readonly response_time_ms?: number
}

/** The health of the node, as callers see it. */
export interface HealthReport {
  readonly overall_status: Status
  readonly components: ReadonlyArray<ComponentReport>
  readonly timestamp: number
  readonly uptime_seconds: number
}

const seconds = (milliseconds: Milliseconds): number => Math.floor(milliseconds / 1_000)

const componentReport = (
  component: Component,
  { reason, since, status }: Settled,
  checked: number,
  responseTime: number | undefined
): ComponentReport => ({
  component,
  status,
  ...(reason === undefined ? {} : { message: reason }),
  since: seconds(since),
  last_check: seconds(checked),
  ...(component === "chain" && responseTime !== undefined ? { response_time_ms: Math.round(responseTime) } : {})
})

/** A report of what counts; `checked` is when the node was looked at. */
export const healthReport = (
  settled: ReadonlyMap<Component, Settled>,
  checked: number,
  responseTime: number | undefined
): HealthReport => ({
  overall_status: worst([...settled.values()].map(({ status }) => status)),
  components: [...settled].map(([component, each]) => componentReport(component, each, checked, responseTime)),
  timestamp: seconds(checked),
  uptime_seconds: Math.floor(process.uptime())
})

/** The number of a status in the metric `lockstep_health_status`. */
export const statusLevel = (status: Status): number => STATUSES.length - 1 - STATUSES.indexOf(status)
