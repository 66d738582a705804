import { availableParallelism, homedir } from "node:os"
import type { Machine } from "../config/resolve/machine.ts"

/** The machine and the directory that this process runs in. */
export const thisMachine = (): Machine => ({ home: homedir(), directory: process.cwd(), processors: availableParallelism() })
