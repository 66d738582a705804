import { savemempool } from "../../methods/savemempool.ts"
import { methodRoute } from "../method-route.ts"
import type { Route } from "../route.ts"

export const MEMPOOL_FILE_ROUTES: ReadonlyArray<Route> = [
  methodRoute({
    verb: "POST",
    path: "/mempool/save",
    summary: "Saves the mempool to its file.",
    method: savemempool
  })
]
