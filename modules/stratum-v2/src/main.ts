import { type ModuleContext, runModule } from "@lockstep/sdk"
import { checkAddress, followTemplates } from "../../mining/follow-templates.ts"
import { authoritySecret } from "./authority.ts"
import type { Share } from "./channel.ts"
import { type MiningConnection, miningConnection } from "./connection.ts"
import { openJobs } from "./jobs.ts"
import { authorityKeyOf, authorityText, signedCertificate } from "./noise/certificate.ts"
import { newKeyPair, publicX } from "./noise/handshake.ts"
import { serveStream } from "./serve-stream.ts"
import { rulesOf, SETTINGS } from "./settings.ts"

/** A server whose clock is behind must not turn miners away. */
const CLOCK_SKEW_SECONDS = 3_600

const connections = new Map<MiningConnection, string>()
let isOver = false
let blocks = 0
let authority = ""

/** Gives a block that a miner found to the node, and logs its fate. */
const submitBlock = async ({ node }: ModuleContext<typeof SETTINGS>, { job, solved }: Share, user: string) => {
  const id = Buffer.from(solved.hash.toReversed()).toString("hex")
  try {
    const { value } = await node.ask("SubmitBlock", { block: solved.block() })
    if (value._tag === "Rejected") return node.log("Error", `the block ${id} of ${user} is rejected: ${value.reason}`)
    blocks++
    node.log("Info", `${user} found the block ${id} at height ${job.template.height}`)
  } catch (error) {
    node.log("Error", `the block ${id} of ${user} was not submitted: ${(error as Error).message}`)
  }
}

await runModule({
  version: "0.1.0",
  settings: SETTINGS,
  setup: async (context) => {
    const { dataDirectory, network, node, settings } = context
    const rules = rulesOf(settings)
    await checkAddress(node, rules.payoutAddress)
    const secret = authoritySecret(dataDirectory)
    const server = newKeyPair()
    const certificate = (): Uint8Array => {
      const now = Math.floor(Date.now() / 1_000)
      return signedCertificate(secret, publicX(server), {
        from: now - CLOCK_SKEW_SECONDS,
        until: now + rules.certificateSeconds
      })
    }
    const jobs = openJobs()
    let accepted = 0
    const { address } = await network.listen(rules.listen, (stream) => {
      const extranonce = Buffer.alloc(4)
      extranonce.writeUInt32BE(++accepted >>> 0)
      serveStream({
        stream,
        server,
        certificate,
        connect: (send) => {
          const connection = miningConnection({
            extranonce,
            rules,
            jobs,
            send,
            now: () => performance.now(),
            found: (share, user) => {
              if (share.isBlock) void submitBlock(context, share, user)
            }
          })
          connections.set(connection, stream.remoteAddress)
          // A miner that finds nothing gets easier work as well.
          const pacing = setInterval(connection.judgePace, 10_000)
          stream.once("close", () => {
            clearInterval(pacing)
            connections.delete(connection)
          })
          return connection
        }
      })
    })
    authority = authorityText(authorityKeyOf(secret))
    node.log("Info", `miners are served at stratum2+tcp://${address}/${authority}`)
    void followTemplates({
      node,
      address: rules.payoutAddress,
      refreshSeconds: rules.refreshSeconds,
      take: (template) => {
        const isNewTip = jobs.add(template)
        for (const connection of connections.keys()) connection.newJob(isNewTip)
      }
    }, () => isOver)
  },
  events: {
    NodeShutdown: () => {
      isOver = true
    }
  },
  rpc: {
    getstratumv2info: {
      description: "Names the key of the Stratum V2 server, lists its channels, and counts the blocks that they found.",
      call: () => ({
        authority,
        blocks,
        connections: [...connections].map(([connection, address]) => ({
          address,
          channels: connection.channels().map(({ id, isExtended, user }) => ({ id, user, extended: isExtended }))
        }))
      })
    }
  },
  stopped: () => {
    isOver = true
  }
})
