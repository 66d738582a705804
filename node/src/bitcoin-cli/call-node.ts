import { bytesOfText, holdsBytes } from "../bytes/byte-text.ts"
import { type PostedAnswer, callable, CallUnanswered, postCall } from "../cli/commands/post-call.ts"
import { JsonMembers, JsonNumber, type JsonRead } from "../json/json-value.ts"
import { readJson } from "../json/read-json.ts"
import { writeJson } from "../json/write-json.ts"
import type { ClientArguments } from "./client-arguments.ts"
import { failClient, NodeUnreachable } from "./client-failure.ts"
import { type NodePlace, nodePlace, shownCredentials } from "./node-place.ts"

/** One RPC call. */
export interface NodeCall {
  readonly method: string
  readonly params: JsonRead
}

/** A reply: a result, or an error as the node sent it. */
export interface Reply {
  readonly result: JsonRead
  readonly error: JsonRead
  /** Advice that the client prints below the error. */
  readonly advice?: string
}

/** The node as the client's commands see it. */
export interface Node {
  readonly call: (call: NodeCall, wallet?: string) => Promise<Reply>
  /** Sends several calls in one request. The replies are in the same order. */
  readonly calls: (calls: ReadonlyArray<NodeCall>) => Promise<ReadonlyArray<Reply>>
}

const WAIT_MS = 1_000
const IN_WARMUP = "-28"

const reasonOf = (error: NodeJS.ErrnoException | CallUnanswered, host: string): string => {
  if (error instanceof CallUnanswered) return error.why === "too late" ? "timeout" : "EOF"
  if (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN") return `Could not resolve host: ${host}`
  return error.code === "ECONNRESET" ? "EOF" : "Could not connect to the server"
}

const unreachable = (error: NodeJS.ErrnoException, { host, port }: NodePlace): NodeUnreachable =>
  new NodeUnreachable(
    `Error while attempting to communicate with server ${host}:${port} (${
      reasonOf(error, host)
    })\n\nMake sure the bitcoind server is running and that you are connecting to the correct RPC port.\nUse "bitcoin-cli -help" for more info.`
  )

const READABLE = new Set([400, 404, 500])

const bodyOf = ({ body, status }: PostedAnswer, refusal: string, confFile: string): JsonRead => {
  if (status === 401) return failClient(`Authorization failed: ${refusal} Configuration file: (${confFile})`)
  if (status === 503) return failClient(`Server response: ${body}`)
  if (status >= 400 && !READABLE.has(status)) return failClient(`server returned HTTP error ${status}`)
  if (body === "") return failClient("no response from server")
  return readJson(body) ?? failClient("couldn't parse reply from server")
}

/** Encodes a name as a part of a path. Bytes that are not UTF-8 are encoded one by one. */
const uriEncoded = (name: string): string =>
  Array.from(name, (character) =>
    holdsBytes(character)
      ? `%${bytesOfText(character).toString("hex").toUpperCase()}`
      : encodeURIComponent(character)).join("")

const requestOf = ({ method, params }: NodeCall, id: JsonRead): JsonRead =>
  new JsonMembers(["jsonrpc", "method", "params", "id"], ["2.0", method, params, id])

const replyOf = (value: JsonRead | undefined): Reply =>
  value instanceof JsonMembers && value.keys.length > 0
    ? { result: value.get("result") ?? null, error: value.get("error") ?? null }
    : failClient("expected reply to have result, error and id properties")

const isWarmup = ({ error }: Reply): boolean => {
  const code = error instanceof JsonMembers ? error.get("code") : undefined
  return code instanceof JsonNumber && code.text === IN_WARMUP
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, WAIT_MS))

/** Repeats an attempt that fails because the node cannot be reached yet, as long as the options allow. */
const patiently = async <A>({ args }: ClientArguments, attempt: () => Promise<A>): Promise<A> => {
  const isPatient = args.flag("rpcwait") === true
  const seconds = Number(args.integer("rpcwaittimeout") ?? 0n)
  const deadline = performance.now() + seconds * 1_000
  for (;;) {
    try {
      // The attempts are sequential: each one decides whether another follows.
      // oxlint-disable-next-line eslint/no-await-in-loop
      return await attempt()
    } catch (error) {
      if (!(error instanceof NodeUnreachable)) throw error
      if (!isPatient || (seconds > 0 && performance.now() >= deadline)) {
        return failClient(`timeout on transient error: ${error.message}`)
      }
      // oxlint-disable-next-line eslint/no-await-in-loop
      await pause()
    }
  }
}

const DEFAULT_TIMEOUT_SECONDS = 900n

/** Connects to the node that the client's arguments choose. `typedPassword` was read from standard input. */
export const chosenNode = (given: ClientArguments, typedPassword: string | undefined): Node => {
  const { args, confFile } = given
  const place = nodePlace(given)
  if (place.warning !== undefined) process.stderr.write(`${place.warning}\n`)
  const id = args.text("rpcid") ?? "1"
  const timeoutMs = Number(args.integer("rpcclienttimeout") ?? DEFAULT_TIMEOUT_SECONDS) * 1_000
  const post = async (value: JsonRead, wallet: string | undefined): Promise<JsonRead> => {
    // A node that has just started has a new cookie.
    const { credentials, refusal } = shownCredentials(given, typedPassword)
    const header = credentials === undefined ? undefined : `Basic ${bytesOfText(credentials).toString("base64")}`
    const path = wallet === undefined ? "/" : `/wallet/${uriEncoded(wallet)}`
    const request = { bind: callable(place), header, path, body: bytesOfText(`${writeJson(value)}\n`), timeoutMs }
    let answer: PostedAnswer
    try {
      answer = await postCall(request)
    } catch (error) {
      throw unreachable(error as NodeJS.ErrnoException, place)
    }
    return bodyOf(answer, refusal, confFile)
  }
  const ready = (replies: ReadonlyArray<Reply>): void => {
    if (args.flag("rpcwait") === true && replies.some(isWarmup)) throw new NodeUnreachable("server in warmup")
  }
  const wallet = args.text("rpcwallet")
  return {
    call: (call, ownWallet = wallet) =>
      patiently(given, async () => {
        const reply = replyOf(await post(requestOf(call, id), ownWallet))
        ready([reply])
        return reply
      }),
    calls: (calls) =>
      patiently(given, async () => {
        const body = await post(calls.map((call, at) => requestOf(call, new JsonNumber(String(at)))), wallet)
        const members = Array.isArray(body) ? body as ReadonlyArray<JsonRead> : [body]
        const found = members.map((each) => ({ each, at: each instanceof JsonMembers ? each.get("id") : undefined }))
        const replies = calls.map((_, at) =>
          replyOf(found.find(({ at: own }) => own instanceof JsonNumber && own.text === String(at))?.each ?? members[0])
        )
        ready(replies)
        return replies
      })
  }
}
