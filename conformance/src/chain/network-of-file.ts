import type { Network } from "@lockstep/protocol/networks/network.ts"
import { networkCalled } from "@lockstep/protocol/networks/table.ts"
import { MalformedVector } from "../formats/malformed.ts"
import type { VectorFile } from "../sources/source.ts"

/** The network that the name of `file` starts with, up to `-` or `_`. */
export const networkOfFile = (file: VectorFile): Network => {
  const name = /([a-z0-9]+)[-_][^/]*$/.exec(file.path)?.[1] ?? ""
  const network = networkCalled(name)
  if (network === undefined) {
    throw new MalformedVector(file.display, "", `its name should start with a network, not with "${name}"`)
  }
  return network
}
