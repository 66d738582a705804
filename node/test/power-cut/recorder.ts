import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Recorded, readRecording } from "./recording.ts"

const SOURCE = fileURLToPath(new URL("./recorder.c", import.meta.url))

/** Whether processes can be recorded here: the way it is done is that of Linux with glibc, and takes a C compiler. */
export const canRecord = ((): boolean => {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" })
    return process.platform === "linux"
  } catch {
    return false
  }
})()

/** Records what processes do below `root` that are started with `env`. */
export interface Recorder {
  readonly env: Readonly<Record<string, string>>
  /** Where the log ends: what is done from now on is written behind it. */
  readonly position: () => number
  readonly operations: () => ReadonlyArray<Recorded>
}

/** Compiles the library into `workplace` and keeps its log there. */
export const makeRecorder = (workplace: string, root: string): Recorder => {
  const library = join(workplace, "recorder.so")
  const log = join(workplace, "recorder.log")
  if (!fs.existsSync(library)) {
    execFileSync("cc", ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lpthread"])
  }
  fs.writeFileSync(log, "")
  return {
    // Through io_uring nothing would be seen.
    env: { LD_PRELOAD: library, POWER_CUT_ROOT: root, POWER_CUT_LOG: log, UV_USE_IO_URING: "0" },
    position: () => fs.statSync(log).size,
    operations: () => readRecording(fs.readFileSync(log))
  }
}
