/** Numbers below a limit that follow from nothing but their place in the sequence. */
export type Below = (limit: number) => number

export const sequence = (): Below => {
  let state = 0x2545f491
  return (limit) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
}
