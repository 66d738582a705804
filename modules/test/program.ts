import type { RequestPayload, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"
import { fakeNode, type FakeNode, type FakeNodeOptions } from "@lockstep/sdk/test-kit"
import { vi } from "vitest"

/** A module's program that runs in this process, over a node without a chain. */
export interface Program extends FakeNode {
  /** What a method of RPC answers. */
  readonly call: (method: string, params?: unknown) => Promise<unknown>
  /** Requests of a type since the start. */
  readonly asked: <T extends RequestPayload["_tag"]>(
    type: T
  ) => ReadonlyArray<Extract<RequestPayload, { readonly _tag: T }>>
  /** What was written to the log. */
  readonly logged: () => ReadonlyArray<string>
  /** Ends the program by a signal; answers its exit code. */
  readonly end: () => Promise<typeof process.exitCode>
}

export const soon = (holds: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: 20_000, interval: 2 })

/** Answers to requests about connections, where a test has none of its own. */
const OF_CONNECTIONS: Readonly<Partial<Record<RequestPayload["_tag"], ResponsePayload>>> = {
  GrantNetwork: { _tag: "NetworkGranted" },
  SendNetwork: { _tag: "NetworkSent", is_full: false },
  CloseNetwork: { _tag: "NetworkClosing" }
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const

/** Runs the program that `load` imports, until `isReady`: it subscribes to events last, and some go on behind it. */
export const runProgram = async (
  load: () => Promise<unknown>,
  options: FakeNodeOptions & { readonly first?: (node: FakeNode) => void } = {}
): Promise<Program> => {
  const node = await fakeNode({
    ...options,
    answer: async (request) => (await options.answer?.(request)) ?? OF_CONNECTIONS[request._tag]
  })
  options.first?.(node)
  const before = SIGNALS.map((name) => process.listeners(name))
  const variables = { ...process.env }
  Object.assign(process.env, node.variables)
  const over = load()
  await Promise.race([node.received("SubscribeEvents"), over])
  for (const name of Object.keys(node.variables)) delete process.env[name]
  Object.assign(process.env, variables)
  const added = SIGNALS.map((name, i) => process.listeners(name).filter((each) => !before[i]!.includes(each)))
  return {
    ...node,
    call: async (method, params = []) => {
      const { error, payload, success } = await node.invoke({ _tag: "Rpc", method, params: JSON.stringify(params) })
      if (!success || payload?._tag !== "Rpc") throw new Error(error ?? "no answer")
      return JSON.parse(payload.result)
    },
    asked: (type) => node.requests.filter((each) => each._tag === type) as never,
    logged: () => node.log.map(({ level, message }) => `${level}: ${message}`),
    end: async () => {
      for (const [i, name] of SIGNALS.entries()) {
        for (const each of added[i]!) {
          process.off(name, each)
          each(name)
        }
      }
      await over
      const { exitCode } = process
      process.exitCode = undefined
      await node.close()
      return exitCode
    }
  }
}
