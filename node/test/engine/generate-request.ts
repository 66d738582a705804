/** A call of `generate` for so many blocks, which pay to a script of one byte. */
export const request = (blocks: number, script = 0x51) => ({
  script: Uint8Array.of(script),
  blocks,
  maxTries: 1_000_000,
  transactions: [],
  submit: true
})
