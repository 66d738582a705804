// Runs in a process of its own, in namespaces that `unshare` made, and then executes the program of a module.
import { enterSandbox } from "./enter-sandbox.ts"
import { openLibc } from "./libc.ts"
import type { SandboxPlan } from "./plan.ts"

/** Exit code of shells for a program that cannot be started. */
const CANNOT_START = 126

try {
  enterSandbox(openLibc(), JSON.parse(process.argv[2]!) as SandboxPlan)
} catch (error) {
  process.stderr.write(`the sandbox could not be made: ${(error as Error).message}\n`)
  process.exitCode = CANNOT_START
}
