import type { AnyTarget } from "@lockstep/property-tests/fuzz/target.ts"
import { filterServingTarget } from "./targets/filter-serving.ts"
import { httpFrontTarget } from "./targets/http-front.ts"
import { mempoolStateTarget } from "./targets/mempool-state.ts"
import { miniscriptTarget } from "./targets/miniscript.ts"
import { moduleFilesTarget } from "./targets/module-files.ts"
import { moduleLifecycleTarget } from "./targets/module-lifecycle.ts"
import { peerSessionTarget } from "./targets/peer-session.ts"
import { psbtSpendingTarget } from "./targets/psbt-spending.ts"
import { restFrontTarget } from "./targets/rest-front.ts"
import { rpcFrontTarget } from "./targets/rpc-front.ts"
import { samRepliesTarget } from "./targets/sam-replies.ts"
import { stratumV2WireTarget } from "./targets/stratum-v2-wire.ts"
import { torControlTarget } from "./targets/tor-control.ts"

/** What `pnpm fuzz` tries on a whole node. */
export const TARGETS: ReadonlyArray<AnyTarget> = [
  rpcFrontTarget,
  restFrontTarget,
  httpFrontTarget,
  peerSessionTarget,
  filterServingTarget,
  mempoolStateTarget,
  moduleFilesTarget,
  moduleLifecycleTarget,
  miniscriptTarget,
  psbtSpendingTarget,
  stratumV2WireTarget,
  torControlTarget,
  samRepliesTarget
] as ReadonlyArray<unknown> as ReadonlyArray<AnyTarget>
