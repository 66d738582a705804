import { type ModuleContext, runModule } from "@lockstep/sdk"
import { checkAddress, followTemplates } from "../../mining/follow-templates.ts"
import { EXTRANONCE1_BYTES } from "./job.ts"
import { openJobs } from "./jobs.ts"
import { type Miner, serveMiner } from "./miner.ts"
import { rulesOf, SETTINGS } from "./settings.ts"
import type { Share } from "./share.ts"

const miners = new Set<Miner>()
/** State of the present connection to the node; each connection has its own. */
let life = { isOver: false }
let blocks = 0

/** Submits a block that a miner found to the node, and logs the result. */
const submitBlock = async ({ node }: ModuleContext<typeof SETTINGS>, { job, solved }: Share, worker: string) => {
  const id = Buffer.from(solved.hash.toReversed()).toString("hex")
  try {
    const { value } = await node.ask("SubmitBlock", { block: solved.block() })
    if (value._tag === "Rejected") return node.log("Error", `the block ${id} of ${worker} is rejected: ${value.reason}`)
    blocks++
    node.log("Info", `${worker} found the block ${id} at height ${job.template.height}`)
  } catch (error) {
    node.log("Error", `the block ${id} of ${worker} was not submitted: ${(error as Error).message}`)
  }
}

await runModule({
  version: "0.1.0",
  settings: SETTINGS,
  setup: async (context) => {
    const { network, node, settings } = context
    const own = { isOver: false }
    life = own
    const rules = rulesOf(settings)
    await checkAddress(node, rules.payoutAddress)
    const jobs = openJobs()
    let connections = 0
    const { address } = await network.listen(rules.listen, (stream) => {
      const extranonce1 = Buffer.alloc(EXTRANONCE1_BYTES)
      extranonce1.writeUInt32BE(++connections >>> 0)
      const miner = serveMiner({
        stream,
        extranonce1,
        rules,
        jobs,
        now: () => performance.now(),
        found: (share, worker) => {
          if (share.isBlock) void submitBlock(context, share, worker)
        }
      })
      miners.add(miner)
      stream.once("close", () => miners.delete(miner))
    })
    node.log("Info", `miners are served at ${address}`)
    void followTemplates({
      node,
      address: rules.payoutAddress,
      refreshSeconds: rules.refreshSeconds,
      take: (template) => {
        const isClean = jobs.add(template)
        for (const miner of miners) miner.newJob(isClean)
      }
    }, () => own.isOver)
  },
  events: {
    NodeShutdown: () => {
      life.isOver = true
    }
  },
  rpc: {
    getstratuminfo: {
      description: "Lists the miners that are connected over Stratum V1, and counts the blocks that they found.",
      call: () => ({ blocks, miners: [...miners].map(({ address, facts }) => ({ address, ...facts() })) })
    }
  },
  stopped: () => {
    life.isOver = true
  }
})
