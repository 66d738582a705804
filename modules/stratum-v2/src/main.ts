import { type ModuleContext, type ModuleEventPayload, runModule } from "@lockstep/sdk"
import { checkAddress, followTemplates } from "../../mining/follow-templates.ts"
import { authoritySecret } from "./authority.ts"
import type { FoundBlock } from "./found-block.ts"
import { authorityKeyOf, authorityText, signedCertificate } from "./noise/certificate.ts"
import { newKeyPair, publicX } from "./noise/handshake.ts"
import { proposeBlock } from "./propose-block.ts"
import { openServer, type Server } from "./server.ts"
import { rulesOf, SETTINGS } from "./settings.ts"

type Context = ModuleContext<typeof SETTINGS>

/** Tolerance for clocks: a server whose clock is behind must not reject miners. */
const CLOCK_SKEW_SECONDS = 3_600

const PROTOCOL_VERSION = 2

let server: Server | undefined
/** State of the present connection to the node; each connection has its own. */
let life = { isOver: false }
let blocks = 0
let authority = ""

const displayed = (hash: Uint8Array): string => Buffer.from(hash.toReversed()).toString("hex")

/** Submits a found block to the node, and logs the result. */
const submitBlock = async ({ node }: Context, { block, finder, hash, height }: FoundBlock) => {
  const id = displayed(hash)
  try {
    const { value } = await node.ask("SubmitBlock", { block: block() })
    if (value._tag === "Rejected") return node.log("Error", `the block ${id} of ${finder} is rejected: ${value.reason}`)
    if (value._tag === "Duplicate") return
    blocks++
    node.log("Info", `${finder} found the block ${id} at height ${height}`)
  } catch (error) {
    node.log("Error", `the block ${id} of ${finder} was not submitted: ${(error as Error).message}`)
  }
}

/** Publishes an event. The node refuses those beyond its rate, which is harmless: they are news for other modules. */
const announce = ({ node }: Context, payload: ModuleEventPayload): void =>
  void node.ask("PublishEvent", { event_type: payload._tag, payload }).catch(() => undefined)

await runModule({
  version: "0.1.0",
  settings: SETTINGS,
  setup: async (context) => {
    const { dataDirectory, network, node, settings } = context
    const own = { isOver: false }
    life = own
    const rules = rulesOf(settings)
    await checkAddress(node, rules.payoutAddress)
    const secret = authoritySecret(dataDirectory)
    const keys = newKeyPair()
    const opened = openServer({
      rules,
      server: keys,
      certificate: () => {
        const now = Math.floor(Date.now() / 1_000)
        return signedCertificate(secret, publicX(keys), {
          from: now - CLOCK_SKEW_SECONDS,
          until: now + rules.certificateSeconds
        })
      },
      propose: (block) => proposeBlock(node, block),
      found: (block) => void submitBlock(context, block),
      warn: (text) => node.log("Warn", text),
      now: () => performance.now(),
      connected: (endpoint) =>
        announce(context, { _tag: "StratumClientConnected", endpoint, protocol_version: PROTOCOL_VERSION }),
      disconnected: (endpoint) =>
        announce(context, { _tag: "StratumClientDisconnected", endpoint, reason: "the connection is over" }),
      shared: ({ id }, share_hash, miner_id) =>
        announce(context, { _tag: "ShareSubmitted", job_id: String(id), share_hash, miner_id })
    })
    server = opened
    const { address } = await network.listen(rules.listen, opened.serve)
    authority = authorityText(authorityKeyOf(secret))
    node.log("Info", `miners are served at stratum2+tcp://${address}/${authority}`)
    void followTemplates({
      node,
      address: rules.payoutAddress,
      refreshSeconds: rules.refreshSeconds,
      take: (template) => {
        const { id } = opened.take(template)
        const { height, previous_hash: prev_hash } = template
        announce(context, { _tag: "MiningJobCreated", job_id: String(id), prev_hash, height })
      }
    }, () => own.isOver)
  },
  events: {
    NodeShutdown: () => {
      life.isOver = true
    }
  },
  rpc: {
    getstratumv2info: {
      description: "Names the key of the Stratum V2 server, lists its channels, and counts the blocks that they found.",
      call: () => ({
        authority,
        blocks,
        connections: (server?.miners() ?? []).map(([connection, address]) => ({
          address,
          channels: connection.channels().map(({ id, isExtended, user }) => ({ id, user, extended: isExtended }))
        }))
      })
    }
  },
  stopped: () => {
    life.isOver = true
  }
})
