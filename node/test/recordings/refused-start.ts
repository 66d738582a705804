import { makePlace } from "../bitcoind/bitcoind-process.ts"
import { patience } from "../process/patience.ts"

/** What a start with options of Bitcoin Core says on standard error; none: it does not fail. */
export const refusedStart = async (args: ReadonlyArray<string>): Promise<string | undefined> => {
  const place = await makePlace()
  const { ended, pid } = place.start(...args)
  const timer = setTimeout(() => place.signal(pid, "SIGKILL"), patience(20_000))
  const { exitCode, stderr } = await ended
  clearTimeout(timer)
  place.remove()
  return exitCode === 1 ? stderr : undefined
}
