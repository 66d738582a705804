/** Chooses the seed once for all test files, and prints it: `LOCKSTEP_SEED=<it>` repeats the run. */
export const setup = (): void => {
  process.env.LOCKSTEP_SEED ??= String(Date.now() % 0x7fffffff)
  process.stdout.write(`property tests: LOCKSTEP_SEED=${process.env.LOCKSTEP_SEED}\n`)
}
