import { answerRestRequest } from "../../../src/rest/answer-request.ts"
import { matchRoute } from "../../../src/rest/match-route.ts"
import { ROUTES } from "../../../src/rest/routes/table.ts"
import { displayHash } from "../../../src/hex.ts"
import { answered } from "../alarm.ts"
import { anyRestRequest, type AskedRest } from "../any-rest-request.ts"
import { wrongRestReply } from "../judge-rest.ts"
import { nodeOfThisThread, prepareNode } from "../running-node.ts"
import { REGRESSIONS } from "../regressions-directory.ts"
import { knownCalls } from "../recorded-calls.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"

const tally = new Map<number, number>()

/**
 * Requests of REST by a caller without credentials: they never change anything, so what is asked twice has the same
 * tag.
 */
export const restFrontTarget: Target<AskedRest> = {
  name: "rest-front",
  about: "requests of REST, answered by a whole node",
  regressions: REGRESSIONS,
  prepare: prepareNode,
  generate: (random) => anyRestRequest(random, knownCalls()),
  judge: async ({ body, headers, target, verb }) => {
    const { calls, chain, complaints, run } = await nodeOfThisThread()
    const [path = "/", query = ""] = target.split(/\?(.*)/s, 2)
    const matched = matchRoute(ROUTES, verb, path)
    const route = matched._tag === "Route" ? matched.route : undefined
    const ask = (ifNoneMatch: string | undefined) =>
      run(answered(
        answerRestRequest(matched, {
          verb,
          path,
          query: new URLSearchParams(query),
          body,
          contentType: headers["content-type"],
          accept: headers["accept"],
          ifNoneMatch,
          requestId: "1",
          now: () => 0,
          caller: "anonymous",
          mayCall: () => true
        }, calls),
        false
      ))
    const before = displayHash(chain.state()!.hash)
    const first = await ask(headers["if-none-match"])
    const logged = complaints()
    if (logged.length > 0) return `logged: ${logged[0]}`
    if (typeof first === "string") return `${first}: no answer to ${verb} ${path}`
    const { answer } = first
    tally.set(answer.status, (tally.get(answer.status) ?? 0) + 1)
    if (displayHash(chain.state()!.hash) !== before) return `state: changed by ${verb} ${path}`
    const wrong = wrongRestReply(answer, route, `${target}${Buffer.from(body).toString()}`)
    const tag = answer.headers["ETag"]
    if (wrong !== undefined || tag === undefined || route === undefined || isOfTheMoment(route.path)) return wrong
    const again = await ask(tag)
    return typeof again !== "string" && again.answer.status === 304
      ? undefined
      : `tag: ${verb} ${path} is another one when asked again`
  },
  notes: () => [
    `answers: ${[...tally].toSorted(([a], [b]) => a - b).map(([status, times]) => `${times} of ${status}`).join(", ")}`
  ]
}

/** What describes the process rather than the chain is another thing each time. */
const isOfTheMoment = (path: string): boolean =>
  path.startsWith("/node/") || path.startsWith("/mining/") || path === "/chain/info"
