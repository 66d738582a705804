/** The number of private connections still needed, and the networks they may use. */
export interface PrivateDemand {
  readonly wanted: () => number
  readonly add: (count: number) => void
  /** Reduces the demand by connections that are no longer needed. */
  readonly cancel: (count: number) => void
  /** True if the proxy for onion services has reached one: nodes of the internet may be dialed through it. */
  readonly isTorProven: () => boolean
  readonly proveTor: () => void
}

export const privateDemand = (): PrivateDemand => {
  let wanted = 0
  let isTorProven = false
  return {
    wanted: () => wanted,
    add: (count) => {
      wanted += count
    },
    cancel: (count) => {
      wanted = Math.max(0, wanted - count)
    },
    isTorProven: () => isTorProven,
    proveTor: () => {
      isTorProven = true
    }
  }
}
