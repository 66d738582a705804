import { holdsBytes } from "../../bytes/byte-text.ts"
import { KEYS, shownKey } from "../catalogue.ts"
import type { Effective } from "../given/effective.ts"
import { path } from "../schema/shapes.ts"
import { absolutePath, type HostMachine } from "./machine.ts"

/** Keys whose files are only read, and may have names of any bytes. */
const READ = ["rpc_auth.token_file"]

/** Describes paths that are not UTF-8, if the node can neither reach nor create them under such a name. */
export const bytePathProblems = (effective: Effective, machine: HostMachine): ReadonlyArray<string> =>
  [...effective].flatMap(([name, { value }]) => {
    const isPath = KEYS.get(name)?.facts.expects === path.expects && !READ.includes(name)
    if (!isPath || typeof value !== "string" || !holdsBytes(absolutePath(value, machine))) return []
    return [
      `${
        shownKey(name)
      }: the path has bytes that are not UTF-8 and is no directory yet; make the directory first, or name another path`
    ]
  })
