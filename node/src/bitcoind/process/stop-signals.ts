/** Signals that stop the process, from a moment on. */
export interface StopSignals {
  /** Whether one has come. */
  readonly came: () => boolean
}

/**
 * Takes SIGINT, SIGTERM and SIGHUP until the process ends. Before the node handles them itself they are kept for it, and
 * once it has stopped they end nothing: the file of the process id is still to be removed.
 */
export const takeStopSignals = (): StopSignals => {
  let came = false
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => void (came = true))
  process.on("SIGHUP", () => {})
  return { came: () => came }
}
