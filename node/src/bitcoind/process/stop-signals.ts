/** Record of the signals that stop the process. */
export interface StopSignals {
  /** Reports whether SIGINT or SIGTERM has been received. */
  readonly came: () => boolean
}

/**
 * Handles SIGINT, SIGTERM and SIGHUP until the process ends. It records them until the node handles them itself, and
 * ignores them once the node has stopped, because the PID file must still be removed.
 */
export const takeStopSignals = (): StopSignals => {
  let came = false
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => void (came = true))
  process.on("SIGHUP", () => {})
  return { came: () => came }
}
