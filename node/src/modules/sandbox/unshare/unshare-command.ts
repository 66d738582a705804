import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import { programUrl } from "../../../program.ts"
import { INSIDE, type Sandboxed, SYSTEM_PLACES } from "../bubblewrap.ts"
import { limitedCommand, TRIAL } from "../resource-limits.ts"
import { type Processor, seccompFilter } from "../seccomp-filter.ts"
import type { Bind, SandboxPlan } from "./plan.ts"

/** Programs of util-linux. */
export interface UnshareTools {
  readonly unshare: string
  readonly setpriv: string
}

const NAMESPACES = ["user", "mount", "pid", "ipc", "net", "uts", "cgroup"].map((name) => `--${name}`)

/** Numbers of system calls for which the C library has no function. */
const CALLS: Readonly<Record<Processor, SandboxPlan["calls"]>> = {
  x64: { capset: 126, mountSetattr: 442 },
  arm64: { capset: 91, mountSetattr: 442 }
}

const SYSTEM: ReadonlyArray<Bind> = SYSTEM_PLACES.map((path) => ({ from: path, to: path, mayBeMissing: true }))

/** `setpriv` ends `unshare` with the node, and `unshare` ends the processes in the namespaces. */
const commandOf = ({ setpriv, unshare }: UnshareTools, plan: SandboxPlan): ReadonlyArray<string> => [
  setpriv,
  "--pdeathsig",
  "KILL",
  "--",
  unshare,
  ...NAMESPACES,
  "--map-current-user",
  "--keep-caps",
  "--fork",
  "--kill-child=SIGKILL",
  "--",
  process.execPath,
  fileURLToPath(programUrl("module-launcher")),
  JSON.stringify(plan)
]

const filterFor = (processor: Processor): string => Buffer.from(seccompFilter(processor)).toString("base64")

/** Returns the command that runs a module in a sandbox without bubblewrap, with the same view and permissions. */
export const unshareCommand = (
  tools: UnshareTools,
  processor: Processor,
  { dataDirectory, limits, moduleDirectory, nodeProgram, program, socket }: Sandboxed
): ReadonlyArray<string> =>
  commandOf(tools, {
    hostname: basename(dataDirectory),
    binds: [
      ...SYSTEM,
      { from: nodeProgram, to: INSIDE.node },
      { from: moduleDirectory, to: INSIDE.module },
      { from: dataDirectory, to: INSIDE.data, isWritable: true },
      { from: socket, to: INSIDE.socket }
    ],
    directory: INSIDE.data,
    filter: filterFor(processor),
    calls: CALLS[processor],
    command: limitedCommand(limits, [`${INSIDE.module}/${program}`])
  })

/** Returns the command that does nothing in a sandbox; it shows whether the system supports one. */
export const unshareTrial = (tools: UnshareTools, processor: Processor): ReadonlyArray<string> =>
  commandOf(tools, {
    hostname: "trial",
    binds: SYSTEM,
    directory: "/",
    filter: filterFor(processor),
    calls: CALLS[processor],
    command: TRIAL
  })
