import type { HealthReport } from "./health-report.ts"

/** What a health path answers. */
export interface HealthAnswer {
  readonly status: number
  readonly body: string
}

/** The source of the short paths: no look at the node, which may take a while. */
export interface KnownHealth {
  readonly latest: () => HealthReport
  readonly isReady: () => boolean
}

const SERVICE = "node"

const answer = (status: number, word: string): HealthAnswer => ({
  status,
  body: JSON.stringify({ status: word, service: SERVICE })
})

/** The whole report; that there is one is no failure, whatever it says. */
export const detailedAnswer = (report: HealthReport): HealthAnswer => ({ status: 200, body: JSON.stringify(report) })

/**
 * Answers a short health path; none: there is no such path. A process that answers is alive. `/health` fails as well
 * when the node cannot do its work. A node is ready when it has started, has caught up and can do its work.
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
