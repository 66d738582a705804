import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { UsageError } from "../../conformance/src/cli/usage-error.ts"

const run = promisify(execFile)

const SCRIPT = fileURLToPath(new URL("request.lua", import.meta.url))

/** What is asked over and over. */
export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** What is posted; none: the URL is only got. */
  readonly body?: string
  readonly token?: string
  /** Milliseconds that each connection rests between two requests. */
  readonly pause?: number
}

export interface LoadFigures {
  readonly requests: number
  readonly perSecond: number
  /** Milliseconds within which 99 of 100 answers came. */
  readonly p99: number
}

interface Printed {
  readonly requests: number
  readonly microseconds: number
  readonly p99: number
  readonly failed: number
}

const MISSING =
  "The rpc bench asks with wrk, which is not installed here. Debian and Ubuntu: apt-get install wrk; elsewhere: https://github.com/wg/wrk."

/** Says how to install wrk where it is missing. */
export const expectWrk = async (): Promise<void> => {
  try {
    await run("wrk", ["--version"])
  } catch (error) {
    // It has no quiet way to show its version: any exit code will do, as long as there is something to run.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(MISSING)
  }
}

/** Asks over and over, on connections that stay open. Every answer that is no success is a fault, not a figure. */
export const load = async ({ body, connections, pause = 0, seconds, token, url }: Load): Promise<LoadFigures> => {
  const asked = [String(pause), ...(body === undefined ? [] : [body, ...(token === undefined ? [] : [token])])]
  const { stdout } = await run("wrk", [
    "-t",
    "1",
    "-c",
    String(connections),
    "-d",
    `${seconds}s`,
    "-s",
    SCRIPT,
    url,
    "--",
    ...asked
  ])
  const printed = JSON.parse(stdout.trim().split("\n").at(-1)!) as Printed
  if (printed.failed > 0) throw new Error(`${printed.failed} of ${printed.requests} requests to ${url} failed`)
  return {
    requests: printed.requests,
    perSecond: printed.requests / printed.microseconds * 1e6,
    p99: printed.p99 / 1_000
  }
}
