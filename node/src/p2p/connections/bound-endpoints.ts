import type { Endpoint } from "../../net/endpoint.ts"

/**
 * The endpoints this node is bound to; empty until it listens. They are known only after the parts that advertise them
 * are made.
 */
export interface BoundEndpoints {
  readonly current: () => ReadonlyArray<Endpoint>
  readonly bind: (endpoints: ReadonlyArray<Endpoint>) => void
}

export const boundEndpoints = (): BoundEndpoints => {
  const bound: Array<Endpoint> = []
  return {
    current: () => bound,
    bind: (endpoints) => void bound.push(...endpoints)
  }
}
