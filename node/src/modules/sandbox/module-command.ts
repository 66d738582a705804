import { dirname, relative } from "node:path"
import { bubblewrapCommand, INSIDE, type Sandboxed } from "./bubblewrap.ts"
import { type Confinement, systemProgram } from "./confinement.ts"
import type { ResourceLimits } from "./resource-limits.ts"
import { seccompFilter } from "./seccomp-filter.ts"
import { unshareCommand } from "./unshare/unshare-command.ts"

/** A module to be started; paths are absolute. */
export interface ToStart {
  readonly name: string
  /** Secret id of this process of the module. */
  readonly moduleId: string
  readonly directory: string
  readonly program: string
  readonly dataDirectory: string
  readonly socket: string
  /** Settings of the operator, by their variables. */
  readonly settings: Readonly<Record<string, string>>
  readonly limits: ResourceLimits
}

/** Command that the system runs. */
export interface ModuleCommand {
  readonly program: string
  readonly arguments: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  /**
   * The filter of system calls, which bubblewrap reads from its first extra file descriptor; `undefined` if set
   * otherwise.
   */
  readonly filter: Uint8Array | undefined
}

/** Returns the whole environment of a module, without the node's own variables, which may hold secrets. */
const environmentOf = (
  { moduleId, name, settings }: ToStart,
  { data, path, socket }: { readonly socket: string; readonly data: string; readonly path: string }
): Readonly<Record<string, string>> => ({
  ...settings,
  MODULE_NAME: name,
  MODULE_ID: moduleId,
  SOCKET_PATH: socket,
  DATA_DIR: data,
  HOME: data,
  TMPDIR: data,
  PATH: path,
  LANG: "C.UTF-8"
})

const sandboxedOf = ({ dataDirectory, directory, limits, program, socket }: ToStart): Sandboxed => ({
  moduleDirectory: directory,
  program: relative(directory, program),
  dataDirectory,
  socket,
  nodeProgram: process.execPath,
  limits
})

const confined = (
  toStart: ToStart,
  confinement: Exclude<Confinement, { readonly _tag: "None" }>
): ModuleCommand => {
  const sandboxed = sandboxedOf(toStart)
  const { processor } = confinement
  const isBubblewrap = confinement._tag === "Bubblewrap"
  const [program, ...rest] = isBubblewrap
    ? [confinement.program, ...bubblewrapCommand(sandboxed)]
    : unshareCommand(confinement.tools, processor, sandboxed)
  return {
    program: program!,
    arguments: rest,
    environment: environmentOf(toStart, INSIDE),
    directory: toStart.dataDirectory,
    filter: isBubblewrap ? seccompFilter(processor) : undefined
  }
}

/**
 * Returns the command without a sandbox. If the system has a program for it, the kernel still ends the module with the
 * node.
 */
const unconfined = (toStart: ToStart): ModuleCommand => {
  const setpriv = process.platform === "linux" ? systemProgram("setpriv") : undefined
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`
  return {
    program: setpriv ?? toStart.program,
    arguments: setpriv === undefined ? [] : ["--pdeathsig", "KILL", "--no-new-privs", "--", toStart.program],
    environment: environmentOf(toStart, { socket: toStart.socket, data: toStart.dataDirectory, path }),
    directory: toStart.dataDirectory,
    filter: undefined
  }
}

/** Returns the command that starts a module, as confined as the machine allows. */
export const moduleCommand = (toStart: ToStart, confinement: Confinement): ModuleCommand =>
  confinement._tag === "None" ? unconfined(toStart) : confined(toStart, confinement)
