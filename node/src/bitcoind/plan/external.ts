import { isRoutable, isValid } from "@lockstep/protocol/wire/address/is-routable.ts"
import { parseEndpoint } from "../../net/endpoint-text.ts"
import type { Endpoint } from "../../net/endpoint.ts"
import { type PlanDraft, numberGiven } from "./draft.ts"

/** Plans the addresses that the operator announces to peers (`-externalip`). */
export const planExternal = (draft: PlanDraft): ReadonlyArray<Endpoint> => {
  const { args, network, notices, problems } = draft
  const port = numberGiven(draft, "port", network.listen.port)
  return args.list("externalip").flatMap((text) => {
    const endpoint = parseEndpoint(text, port)
    if (endpoint === undefined || !isValid(endpoint.address)) {
      problems.push(`Cannot resolve -externalip address: '${text}'`)
    } else if (!isRoutable(endpoint.address)) notices.push(`-externalip=${text} is not announced: it is not routable`)
    return endpoint === undefined || !isRoutable(endpoint.address) ? [] : [endpoint]
  })
}
