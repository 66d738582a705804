/** Health of a part of the node, best first. */
export const STATUSES = ["Healthy", "Degraded", "Unhealthy", "Down"] as const

export type Status = (typeof STATUSES)[number]

export const COMPONENTS = ["chain", "network", "storage", "rpc", "process", "modules"] as const

export type Component = (typeof COMPONENTS)[number]

/** The result of one check of a component. */
export interface Judgement {
  readonly status: Status
  /** The reason for the operator; `undefined` for a healthy component. */
  readonly reason: string | undefined
  /** True if the cause may come back at any moment, so that its absence has to last before the status improves. */
  readonly flickers: boolean
}

/** Rank of a status: larger is worse. */
const gravity = (status: Status): number => STATUSES.indexOf(status)

export const isWorse = (status: Status, than: Status): boolean => gravity(status) > gravity(than)

export const worst = (statuses: ReadonlyArray<Status>): Status =>
  statuses.reduce<Status>((so, status) => isWorse(status, so) ? status : so, "Healthy")

export const HEALTHY: Judgement = { status: "Healthy", reason: undefined, flickers: false }

export const judgement = (status: Status, reason: string, flickers = true): Judgement => ({ status, reason, flickers })
