import type { ChainState } from "../engine/calls/chain-state.ts"

/** What a health path answers. */
export interface HealthAnswer {
  readonly status: number
  readonly body: string
}

const answer = (status: number, word: string): HealthAnswer =>
  ({ status, body: JSON.stringify({ status: word, service: "node" }) })

/**
 * Answers a health path; none: there is no such path. Alive is whoever answers at all; ready is a node that has started
 * and caught up. `state` is none while it starts.
 */
export const healthAnswer = (path: string, state: ChainState | undefined, isRegtest: boolean): HealthAnswer | undefined => {
  if (path === "/health" || path === "/health/live") return answer(200, "healthy")
  if (path !== "/health/ready") return undefined
  const isReady = state !== undefined && (isRegtest || !state.initialBlockDownload)
  return isReady ? answer(200, "ready") : answer(503, "not_ready")
}
