import { estimatesmartfee } from "../../methods/estimatesmartfee.ts"
import { JsonNumber } from "../../json/json-value.ts"
import { methodRoute } from "../method-route.ts"
import type { Route } from "../route.ts"

/** Confirmation target of a request that names none. */
const USUAL_TARGET = "6"

export const FEE_ROUTES: ReadonlyArray<Route> = [
  methodRoute({
    verb: "GET",
    path: "/fees/estimate",
    summary: "The fee rate with which a transaction should confirm within so many blocks.",
    method: estimatesmartfee,
    inputs: {
      blocks: { place: "query", parameter: "conf_target", required: false, shown: { standard: USUAL_TARGET } },
      mode: { place: "query", parameter: "estimate_mode" }
    },
    fixed: { conf_target: new JsonNumber(USUAL_TARGET) }
  })
]
