const isBusy = (kind: string): boolean => kind === "Immediate" || kind.startsWith("FSReq")

/** How many turns in a row must leave nothing behind: what one turn resolves may begin something in the next. */
const QUIET_TURNS = 2

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/**
 * Waits until nothing is left to do before time passes: no fiber that wants its turn, no promise, no file operation.
 * Timers of the machine do not count, since nothing in a simulation waits for one.
 */
export const atRest = async (): Promise<void> => {
  for (let quiet = 0; quiet < QUIET_TURNS;) {
    await turn()
    quiet = process.getActiveResourcesInfo().some(isBusy) ? 0 : quiet + 1
  }
}
