import type { HealthReport } from "./health-report.ts"

/** Response to a request of a health path. */
export interface HealthAnswer {
  readonly status: number
  readonly body: string
}

/** The state for the short paths, which do not check the node, because that may take a while. */
export interface KnownHealth {
  readonly latest: () => HealthReport
  readonly isReady: () => boolean
}

const SERVICE = "node"

const answer = (status: number, word: string): HealthAnswer => ({
  status,
  body: JSON.stringify({ status: word, service: SERVICE })
})

/** Returns the whole report. Its status is 200 whatever it says. */
export const detailedAnswer = (report: HealthReport): HealthAnswer => ({ status: 200, body: JSON.stringify(report) })

/**
 * Returns the response of a short health path, or `undefined` for another path. A process that answers is alive.
 * `/health` also fails if the node cannot do its work. A node is ready when it has started, has caught up and can do
 * its work.
 */
export const healthAnswer = (path: string, { isReady, latest }: KnownHealth): HealthAnswer | undefined => {
  if (path === "/health" || path === "/health/live") {
    const { overall_status: status } = latest()
    const isWorking = path === "/health/live" || status === "Healthy" || status === "Degraded"
    return answer(isWorking ? 200 : 503, status.toLowerCase())
  }
  if (path !== "/health/ready") return undefined
  return isReady() ? answer(200, "ready") : answer(503, "not_ready")
}
