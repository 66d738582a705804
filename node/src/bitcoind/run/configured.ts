import { join } from "node:path"
import type { NodeConfig } from "../../config/config.ts"
import type { CommandLineArguments } from "../args/read-arguments.ts"
import type { Plan } from "../plan/plan.ts"

/** Returns the configuration of the node for a plan. */
export const configured = (plan: Plan, { directory }: CommandLineArguments): NodeConfig => {
  const { access, config, log, storage } = plan
  return {
    ...config,
    standIn: {
      blocksDirectory: storage.blocks,
      storeDirectory: join(directory, "chainstate"),
      cookie: access.cookie,
      isServing: access.isServing,
      hasCoreRest: access.hasRest,
      checksAnswers: access.checksAnswers,
      rpcThreads: access.threads,
      moreRpcBinds: access.moreBinds,
      userAgent: plan.userAgent,
      grants: plan.grants,
      peerTimeoutSeconds: plan.peerTimeoutSeconds,
      changes: plan.changes,
      maxTipAge: plan.maxTipAge,
      banSeconds: plan.banSeconds,
      isNetworkActive: plan.isNetworkActive,
      externalAddresses: plan.externalAddresses,
      notifiers: plan.notifiers,
      network: plan.network,
      logFile: log.file,
      captureDirectory: log.capturesMessages ? join(directory, "message_capture") : undefined,
      printsPriority: log.printsPriority,
      scriptCacheBytes: storage.scriptCacheBytes,
      blockFileBytes: storage.blockFileBytes,
      isXored: storage.isXored,
      rebuild: storage.rebuild,
      rebuildsCoins: storage.rebuildsCoins
    }
  }
}
