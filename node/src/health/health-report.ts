import { type Milliseconds, type Seconds, secondsOf, type UnixMilliseconds, type UnixSeconds } from "../quantities.ts"
import { type Component, type Status, STATUSES, worst } from "./component-health.ts"
import type { Settled } from "./hysteresis.ts"

/** One component in a report. */
export interface ComponentReport {
  readonly component: Component
  readonly status: Status
  readonly message?: string
  readonly since: UnixSeconds
  readonly last_check: UnixSeconds
  /** Response time of the engine; of the chain only. */
  readonly response_time_ms?: Milliseconds
}

/** The health of the node, as callers see it. */
export interface HealthReport {
  readonly overall_status: Status
  readonly components: ReadonlyArray<ComponentReport>
  readonly timestamp: UnixSeconds
  readonly uptime_seconds: Seconds
}

const componentReport = (
  component: Component,
  { reason, since, status }: Settled,
  checked: UnixMilliseconds,
  responseTime: Milliseconds | undefined
): ComponentReport => ({
  component,
  status,
  ...(reason === undefined ? {} : { message: reason }),
  since: secondsOf(since),
  last_check: secondsOf(checked),
  ...(component === "chain" && responseTime !== undefined ? { response_time_ms: Math.round(responseTime) } : {})
})

/** Makes a report of the settled judgements; `checked` is the time of the check. */
export const healthReport = (
  settled: ReadonlyMap<Component, Settled>,
  checked: UnixMilliseconds,
  responseTime: Milliseconds | undefined
): HealthReport => ({
  overall_status: worst([...settled.values()].map(({ status }) => status)),
  components: [...settled].map(([component, each]) => componentReport(component, each, checked, responseTime)),
  timestamp: secondsOf(checked),
  uptime_seconds: Math.floor(process.uptime())
})

/** Returns the number of a status in the metric `lockstep_health_status`. */
export const statusLevel = (status: Status): number => STATUSES.length - 1 - STATUSES.indexOf(status)
