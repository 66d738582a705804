import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

/** Ticks of a second in the kernel's figures. */
const TICKS = Number(execFileSync("getconf", ["CLK_TCK"]))

/** Seconds of processor time that a process has taken; none where the machine does not show it. */
export const processorSecondsOf = (pid: number): number => {
  try {
    // The name of the program stands in parentheses and may have spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ")
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}
