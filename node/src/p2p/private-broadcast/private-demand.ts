/** How many private connections are still needed, and what they may go through. */
export interface PrivateDemand {
  readonly wanted: () => number
  readonly add: (count: number) => void
  /** Connections that are not needed any more. */
  readonly cancel: (count: number) => void
  /** Whether the proxy for onion services has reached one: nodes of the internet may be dialed through it. */
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
