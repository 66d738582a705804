import { loadKoffi } from "@lockstep/crypto/native-memory.ts"

/**
 * Ends the process without any further step. A plain exit waits for the threads that compile, and these may wait for
 * this one to collect garbage, so that now and then it never ends.
 */
export const exitImmediately = (exitCode: number): void => {
  const koffi = loadKoffi()
  try {
    if (koffi.ok) koffi.value.load(null).func("void _exit(int status)")(exitCode)
  } catch {
    // Not every system has this call under this name.
  }
  process.exit(exitCode)
}
