import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Fault } from "./fault.ts"

const SOURCE = fileURLToPath(new URL("./fault.c", import.meta.url))

/** Compiles the library into `directory`; answers where it is. */
export const makeFaultLibrary = (directory: string): string => {
  const library = join(directory, "fault.so")
  const compiler = process.env["CC"] ?? "cc"
  const { error, status, stderr } = spawnSync(compiler, ["-shared", "-fPIC", "-O1", "-o", library, SOURCE], {
    encoding: "utf8"
  })
  if (error !== undefined) {
    throw new Error(
      `the fault tests need a C compiler: ${compiler} cannot be run (${error.message}). Install gcc, or name one in CC.`
    )
  }
  if (status !== 0) throw new Error(`${compiler} cannot compile ${SOURCE}:\n${stderr}`)
  return library
}

const ERRNO = { EIO: 5, ENOSPC: 28 } as const

const list = (calls: ReadonlyArray<string>): string => calls.map((call) => `${call},`).join("")

/** Where a fault happens, and when it begins to be counted. */
export interface FaultPlace {
  readonly library: string
  readonly under: string
  /** Counting begins when this file is there; none: at once. */
  readonly armed: string | undefined
  readonly report: string
}

/** The environment of a process that meets a fault. */
export const faultEnvironment = (
  { after, at, call, cut, error }: Fault,
  { armed, library, report, under }: FaultPlace
): Record<string, string> => ({
  LD_PRELOAD: library,
  FAULT_UNDER: under,
  FAULT_CALLS: list([call]),
  FAULT_AT: String(at),
  FAULT_ERRNO: String(ERRNO[error]),
  FAULT_REPORT: report,
  ...(after.length === 0 ? {} : { FAULT_THEN: list(after) }),
  ...(cut ? { FAULT_SHORT: "1" } : {}),
  ...(armed === undefined ? {} : { FAULT_ARMED: armed })
})
