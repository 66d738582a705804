import { dispatch } from "../../../src/rpc/dispatch/dispatch.ts"
import { calledMethods } from "../../../src/rpc/rpc-requests.ts"
import { readBody } from "../../../src/json/read-body.ts"
import { displayHash } from "../../../src/hex.ts"
import { answered } from "../alarm.ts"
import { anyRequestBody } from "../any-request-body.ts"
import { restore } from "../fed-chain.ts"
import { wrongReply } from "../judge-reply.ts"
import { nodeOfThisThread, prepareNode, type RunningNode } from "../running-node.ts"
import { REGRESSIONS } from "../regressions-directory.ts"
import { knownCalls } from "../recorded-calls.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"

interface Sent {
  readonly body: Uint8Array
}

const stateText = ({ chain }: RunningNode): string => {
  const { hash, height } = chain.state()!
  return `${displayHash(hash)} at ${height}`
}

const RESULT = /"error":null|^\{"jsonrpc":"2.0","result":/

const count = { answers: 0, results: 0 }

/** Bodies of requests, answered by the node's own methods over the node's own engine. */
export const rpcFrontTarget: Target<Sent> = {
  name: "rpc-front",
  about: "bodies of RPC requests, answered by a whole node",
  regressions: REGRESSIONS,
  prepare: prepareNode,
  generate: (random) => ({ body: anyRequestBody(random, knownCalls()) }),
  judge: async ({ body }) => {
    const node = await nodeOfThisThread()
    const { calls, chain, complaints, home, run } = node
    const request = readBody(body)
    const methods = calledMethods(request)
    const before = stateText(node)
    const mayWait = methods.some((name) => name.startsWith("waitfor") || name === "getblocktemplate")
    const outcome = await run(answered(dispatch(request, calls), mayWait))
    const after = stateText(node)
    const sent = Buffer.from(body).toString()
    const isAdmins = methods.some((name) => calls.methods.get(name)?.privilege === "admin")
    if (isAdmins) await run(restore(chain, home))
    const logged = complaints()
    if (logged.length > 0) return `logged: ${logged[0]}`
    if (outcome === "slow") return `slow: no answer to ${methods.join()}`
    if (!isAdmins && before !== after) return `state: ${methods.join()} took the chain from ${before} to ${after}`
    if (outcome === "gone") return undefined
    const answer = { ...outcome.answer, body: outcome.answer.body?.toString() }
    count.answers++
    if (RESULT.test(answer.body ?? "")) count.results++
    return wrongReply(answer, request, sent)
  },
  notes: () => [`${count.results} of ${count.answers} answers had a result`]
}
