import { loadKoffi } from "@lockstep/crypto/native-memory.ts"

/**
 * Ends the process without any further step. A plain exit waits for the compiler threads, which may wait for this one
 * to collect garbage, so that occasionally it never ends.
 */
export const exitImmediately = (exitCode: number): void => {
  const koffi = loadKoffi()
  try {
    if (koffi.ok) koffi.value.load(null).func("void _exit(int status)")(exitCode)
  } catch {
    // Some systems lack this call or name it otherwise.
  }
  process.exit(exitCode)
}
