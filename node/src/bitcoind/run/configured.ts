import { join } from "node:path"
import type { NodeConfig } from "../../config/config.ts"
import type { Arguments } from "../args/read-arguments.ts"
import type { Plan } from "../plan/plan.ts"

/** The configuration of the node that a plan asks for. */
export const configured = ({ access, config, storage, userAgent }: Plan, { directory }: Arguments): NodeConfig => ({
  ...config,
  standIn: {
    blocksDirectory: storage.blocks,
    storeDirectory: join(directory, "chainstate"),
    cookie: access.cookie,
    isServing: access.isServing,
    moreRpcBinds: access.moreBinds,
    userAgent,
    rebuild: storage.rebuild
  }
})
