/**
 * The clock that waiting goes by where an operator may set the node's (`setmocktime`, on regtest): the machine's, and ahead of
 * it by all steps forward that the set one has made. It never stands still and never goes back, so nothing waits for ever.
 * `mockTime`: seconds since 1970; 0: nothing is set.
 */
export const waitingClock = (machine: () => number, mockTime: () => number): () => number => {
  let ahead = 0
  let before = 0
  return () => {
    const set = mockTime()
    if (set !== before) {
      const from = before === 0 ? machine() : before * 1_000
      if (set !== 0) ahead += Math.max(0, set * 1_000 - from)
      before = set
    }
    return machine() + ahead
  }
}
