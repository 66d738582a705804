import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { programUrl } from "../../../program.ts"
import type { StorageError } from "../../storage-error.ts"
import { engineError, storeError } from "../engine-error.ts"
import { EngineLacking } from "../engine-lacking.ts"
import { Unmappable } from "../map-fault.ts"
import type { ProbeReport } from "./probe-child.ts"
import type { StoreKeys } from "./walk-store.ts"

/** First line of the child's standard error, once it begins to read. */
const BEGUN = "reading\n"

/** Signals that a process gets for what its own code does. */
const CRASHES: ReadonlySet<NodeJS.Signals> = new Set(["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV"])

/** Milliseconds for which the child reads entries. A small store is read completely. */
const WALK_MILLISECONDS = 250

interface ChildEnd {
  readonly output: string
  readonly complaint: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Runs the child; interrupting the effect ends the child. */
const runChild = (engine: string, directory: string, keys: StoreKeys): Effect.Effect<ChildEnd, Error> =>
  Effect.callback<ChildEnd, Error>((resume) => {
    const program = fileURLToPath(programUrl("store-probe"))
    const asked = [engine, directory, String(WALK_MILLISECONDS), ...keys === "any" ? [keys] : []]
    const child = spawn(process.execPath, ["--no-warnings", program, ...asked], {
      stdio: ["ignore", "pipe", "pipe"],
      // Options of this process, such as a debugger's port, do not apply to its child.
      env: { ...process.env, NODE_OPTIONS: "" }
    })
    let [output, complaint] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => output += text)
    child.stderr.setEncoding("utf8").on("data", (text: string) => complaint += text)
    child.once("error", (error) => resume(Effect.fail(error)))
    child.once("close", (code, signal) => resume(Effect.succeed({ output, complaint, code, signal })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Texts of the system for errors that the bytes did not cause. */
const FROM_OUTSIDE =
  /permission denied|not permitted|read-only|input\/output error|too many open files|cannot allocate memory|is a directory/i

/** Makes the error of an engine for existing files: damage, unless the text shows another cause. */
const failure = (path: string, { code, message }: Extract<ProbeReport, { readonly _tag: "Failed" }>): StorageError => {
  const error = engineError("open", path, Object.assign(new Error(message), { code }))
  return error.reason === "io" && !FROM_OUTSIDE.test(message) ? storeError("corrupt", "open", path, message) : error
}

const judge = (path: string, { code, complaint, output, signal }: ChildEnd): StorageError | undefined => {
  if (output === "") {
    const end = signal === null ? `ended with code ${code}` : `was killed by ${signal}`
    const said = complaint.replace(BEGUN, "").trim().split("\n").at(-1) ?? ""
    // A child that ends before it reads, or by another's signal, proves nothing about the files: they stay as they are.
    const isFilesFault = complaint.startsWith(BEGUN) && (signal === null || CRASHES.has(signal))
    return storeError(
      isFilesFault ? "corrupt" : "io",
      "open",
      path,
      `a process that tried to read it ${end}${said === "" ? "" : ` (${said})`}`
    )
  }
  const report = JSON.parse(output) as ProbeReport
  switch (report._tag) {
    case "Sound":
      return undefined
    case "Damaged":
      return storeError("corrupt", "open", path, report.detail)
    case "Lacking":
      return engineError("open", path, new EngineLacking(report.detail))
    case "Unmappable":
      return engineError("open", path, new Unmappable(report.detail))
    case "Failed":
      return failure(path, report)
  }
}

/**
 * Opens the store in a separate process and reads as much as a short time allows. A damaged file can end a process
 * inside native code, where nothing can be caught. Fails with the fault of the store.
 */
export const probe = (
  engine: "heed3" | "leveldb",
  directory: string,
  path: string,
  timeout: Duration.Duration,
  keys: StoreKeys = "node"
): Effect.Effect<void, StorageError> =>
  runChild(engine, directory, keys).pipe(
    // A single disk error ends native code just as damage does, but damage is found the next time as well. A child that
    // has answered ends itself by a signal.
    Effect.flatMap((end) =>
      end.output === "" && end.signal !== null ? runChild(engine, directory, keys) : Effect.succeed(end)
    ),
    Effect.mapError((error) => engineError("open", path, error)),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(
          storeError("io", "open", path, `it could not be read within ${Duration.toSeconds(timeout)} seconds`)
        )
    }),
    Effect.flatMap((end) => {
      const fault = judge(path, end)
      return fault === undefined ? Effect.void : Effect.fail(fault)
    })
  )
