import type { BlockTemplate, NetworkStream } from "@lockstep/sdk"
import { type MiningConnection, miningConnection, miningFlags } from "./connection.ts"
import type { FoundBlock } from "./found-block.ts"
import { declarationConnection } from "./job-declaration/declaration-connection.ts"
import { openDeclaredJobs } from "./job-declaration/declared-jobs.ts"
import { openKnownTransactions } from "./job-declaration/known-transactions.ts"
import { type Job, openJobs } from "./jobs.ts"
import type { Role, ServedProtocol } from "./role.ts"
import { serveStream, type StreamOptions } from "./serve-stream.ts"
import { openConnection, PROTOCOLS } from "./set-up.ts"
import type { ServerRules } from "./settings.ts"
import { templateConnection } from "./template-distribution/template-connection.ts"
import { MOST_DECLARED_PAYLOAD, MOST_PAYLOAD } from "./wire/frames.ts"
import type { Message } from "./wire/messages.ts"

/** Interval of pacing in milliseconds. A miner that finds nothing gets easier work, too. */
const PACING_MS = 10_000

/** `SetupConnection` of a client that reveals the transactions of its jobs. */
const DECLARE_TX_DATA = 1

/** Maximum number of connections that declare jobs. Each may hold the transactions of three blocks in memory. */
const MOST_DECLARERS = 16

/** Dependencies of a server. */
export interface ServerOptions extends Pick<StreamOptions, "server" | "certificate"> {
  readonly rules: ServerRules
  /**
   * Judges a block without its proof of work. Returns the reason to reject it, or `undefined`. Never rejects the
   * promise.
   */
  readonly propose: (block: Uint8Array) => Promise<string | undefined>
  readonly found: (block: FoundBlock) => void
  readonly warn: (text: string) => void
  readonly now: () => number
  /** Called when a miner, or a client of templates or declarations, has connected or disconnected. */
  readonly connected: (endpoint: string) => void
  readonly disconnected: (endpoint: string) => void
  readonly shared: (job: Job, hash: Uint8Array, user: string) => void
}

/** Everything served at one endpoint. */
export interface Server {
  readonly serve: (stream: NetworkStream) => void
  /** Adds a new template. Returns its job. */
  readonly take: (template: BlockTemplate) => Job
  readonly miners: () => ReadonlyArray<readonly [connection: MiningConnection, address: string]>
}

type Send = (message: Message) => void

/** State shared by all connections. */
const openState = () => ({
  jobs: openJobs(),
  declared: openDeclaredJobs(),
  known: openKnownTransactions(),
  miners: new Map<MiningConnection, string>(),
  accepted: 0,
  declarers: 0
})

type State = ReturnType<typeof openState>

const mining = (options: ServerOptions, state: State, stream: NetworkStream, send: Send): ServedProtocol => ({
  knownFlags: miningFlags(options.rules.declaresJobs),
  neededFlags: 0,
  mostPayload: MOST_PAYLOAD,
  isFull: () => false,
  open: (flags) => {
    const extranonce = Buffer.alloc(4)
    extranonce.writeUInt32BE(++state.accepted >>> 0)
    const connection = miningConnection({
      extranonce,
      rules: options.rules,
      jobs: state.jobs,
      declared: state.declared,
      flags,
      send,
      now: options.now,
      found: ({ isBlock, job, solved: { block, hash } }, user) => {
        options.shared(job, hash, user)
        if (isBlock) options.found({ hash, height: job.template.height, finder: user, block })
      }
    })
    state.miners.set(connection, stream.remoteAddress)
    const pacing = setInterval(connection.judgePace, PACING_MS)
    stream.once("close", () => {
      clearInterval(pacing)
      state.miners.delete(connection)
    })
    return connection
  }
})

const jobDeclaration = (options: ServerOptions, state: State, stream: NetworkStream, send: Send): ServedProtocol => ({
  knownFlags: DECLARE_TX_DATA,
  neededFlags: DECLARE_TX_DATA,
  mostPayload: MOST_DECLARED_PAYLOAD,
  isFull: () => state.declarers >= MOST_DECLARERS,
  open: () => {
    state.declarers++
    stream.once("close", () => state.declarers--)
    return declarationConnection({ ...options, ...state, send })
  }
})

const templateDistribution = (options: ServerOptions, { jobs }: State, send: Send): ServedProtocol => ({
  knownFlags: 0,
  neededFlags: 0,
  mostPayload: MOST_PAYLOAD,
  isFull: () => false,
  open: () => templateConnection({ ...options, jobs, send })
})

const protocolsOf = (
  options: ServerOptions,
  state: State,
  stream: NetworkStream,
  send: Send
): ReadonlyMap<number, ServedProtocol> => {
  const { declaresJobs, distributesTemplates } = options.rules
  return new Map([
    [PROTOCOLS.mining, mining(options, state, stream, send)],
    ...declaresJobs ? [[PROTOCOLS.jobDeclaration, jobDeclaration(options, state, stream, send)] as const] : [],
    ...distributesTemplates
      ? [[PROTOCOLS.templateDistribution, templateDistribution(options, state, send)] as const]
      : []
  ])
}

export const openServer = (options: ServerOptions): Server => {
  const { certificate, rules, server } = options
  const state = openState()
  const { jobs, known, miners } = state
  const roles = new Set<Role>()
  return {
    serve: (stream) =>
      serveStream({
        stream,
        server,
        certificate,
        connect: (send) => {
          const connection = openConnection(protocolsOf(options, state, stream, send), send)
          roles.add(connection)
          options.connected(stream.remoteAddress)
          stream.once("close", () => {
            roles.delete(connection)
            connection.end()
            options.disconnected(stream.remoteAddress)
          })
          return connection
        }
      }),
    take: (template) => {
      const isNewTip = jobs.add(template)
      if (isNewTip) known.turn()
      if (rules.declaresJobs) known.add(template.transactions)
      for (const role of roles) role.newTemplate(isNewTip)
      return jobs.newest()!
    },
    miners: () => [...miners]
  }
}
