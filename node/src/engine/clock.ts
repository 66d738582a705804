/** The time that rules and downloads use, in Unix seconds. */
export interface Clock {
  readonly now: () => number
  /** Seconds that stand in for the machine's clock; 0: none do. */
  readonly mockTime: () => number
  readonly setMockTime: (seconds: number) => void
}

/** The machine's clock, until a mock time is set. */
export const clockFrom = (mockTime = 0): Clock => {
  let mocked = mockTime
  return {
    now: () => mocked === 0 ? Math.floor(Date.now() / 1000) : mocked,
    mockTime: () => mocked,
    setMockTime: (seconds) => {
      mocked = seconds
    }
  }
}
