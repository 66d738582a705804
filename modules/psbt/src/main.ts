import { runModule } from "@lockstep/sdk"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import { analyzeMiniscript } from "./analyze-miniscript.ts"
import { analyzeSpending } from "./analyze-spending.ts"
import { describeDescriptor } from "./describe-descriptor.ts"
import { networkOf } from "./network-of.ts"
import { textAt } from "./parameters.ts"

let network: Network

await runModule({
  version: "0.1.0",
  setup: async ({ node }) => {
    network = await networkOf(node)
  },
  // The subscription comes last: after it the node counts the module, with its methods, as loaded.
  events: { NodeShutdown: () => undefined },
  rpc: {
    analyzepsbt: {
      description:
        "Answers as well how each input can be spent: the ways, what each still misses, and the largest sizes.",
      overrides: true,
      call: (params) => analyzeSpending(textAt(params, 0, "psbt"))
    },
    getdescriptorinfo: {
      description: "Answers as well what the miniscripts in the descriptor are.",
      overrides: true,
      call: (params) => describeDescriptor(textAt(params, 0, "descriptor"), network)
    },
    analyzeminiscript: {
      description:
        "analyzeminiscript \"miniscript\" ( \"context\" ): answers the type of a miniscript, whether it is sane, and the ways to satisfy it. The context is wsh (default) or tr.",
      call: (params) => analyzeMiniscript(params)
    }
  }
})
