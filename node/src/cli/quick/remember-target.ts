import { join } from "node:path"
import { keyCalled } from "../../config/catalogue.ts"
import type { NodeConfig } from "../../config/config.ts"
import { searchedFiles } from "../../config/file/find-file.ts"
import type { Effective } from "../../config/given/effective.ts"
import { NETWORK_ROWS } from "../../config/network-table.ts"
import { absolutePath, type HostMachine } from "../../config/resolve/machine.ts"
import type { GlobalInput } from "../global-options.ts"
import { environment } from "../environment.ts"
import { thisMachine } from "../machine.ts"
import { quickLine } from "./quick-line.ts"
import { keepTarget } from "./remembered-target.ts"

/** The files that were searched, up to the one found, because the first one counts. */
const candidates = (
  input: GlobalInput,
  file: string | undefined,
  effective: Effective,
  machine: HostMachine
): ReadonlyArray<string> => {
  if (input.file !== undefined) return [absolutePath(input.file, machine)]
  const given = effective.get("storage.data_dir")
  const isStronger = given?.origin === "command line" || given?.origin === "environment"
  const dataDirectory = String(isStronger ? given.value : keyCalled("storage.data_dir").facts.fallback)
  const searched = searchedFiles(environment, dataDirectory, machine)
  return file === undefined ? searched : searched.slice(0, searched.indexOf(file) + 1)
}

/** Paths that show that a directory is Bitcoin Core's. */
const signsOfCore = (root: string): ReadonlyArray<string> =>
  NETWORK_ROWS.flatMap((
    { coreDirectory }
  ) => [join(root, coreDirectory, "chainstate"), join(root, coreDirectory, "blocks/index")])

/** Stores which node a configuration means for later calls, if its command line is one that is read quickly. */
export const rememberTarget = (
  args: ReadonlyArray<string>,
  input: GlobalInput,
  config: NodeConfig,
  effective: Effective
): void => {
  const line = quickLine(args)
  if (line === undefined) return
  const machine = thisMachine()
  const tokens = effective.get("rpc_auth.token_file")?.value
  const root = absolutePath(String(effective.get("storage.data_dir")?.value), machine)
  const { dataDirectory, file, rpc: { bind, credentials } } = config
  keepTarget(line.options, { dataDirectory, file, rpc: { bind, credentials } }, [
    ...candidates(input, file, effective, machine),
    ...(tokens === undefined ? [] : [absolutePath(String(tokens), machine)]),
    ...signsOfCore(root)
  ])
}
