import * as Effect from "effect/Effect"
import { requestFailed } from "./api-call.ts"
import type { RequestHandlers } from "./module-context.ts"

const unserved = (what: string) => () => Effect.fail(requestFailed(`not served by this node: ${what}`))

/** Requests that this node cannot serve, each with the reason. */
export const UNSERVED_REQUESTS: RequestHandlers<
  | "GetLightningNodeUrl"
  | "GetLightningInfo"
  | "GetPaymentState"
  | "SendMeshPacketToPeer"
  | "SendStratumV2MessageToPeer"
> = {
  GetLightningNodeUrl: unserved("it has no Lightning node; call the API of the module that has"),
  GetLightningInfo: unserved("it has no Lightning node; call the API of the module that has"),
  GetPaymentState: unserved("it keeps no payments; call the API of the module that does"),
  SendMeshPacketToPeer: unserved("its peers speak no mesh protocol"),
  SendStratumV2MessageToPeer: unserved("its peers speak no Stratum V2")
}
