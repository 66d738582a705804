import { readFileSync } from "node:fs"
import { chainPeer, type ChainPeerOptions } from "./chain-peer.ts"
import { chainOfFile } from "./served-chain.ts"

// A process of its own, that says when it has read its chain: then given who is to connect, asked for figures by any
// other message.
const chain = chainOfFile(readFileSync(process.argv[2]!))
let peers: ReadonlyArray<ReturnType<typeof chainPeer>> = []

process.on("message", (message: ReadonlyArray<ChainPeerOptions> | "figures" | "hashes") => {
  if (message === "hashes") return process.send!(peers.map(({ hashes }) => hashes()))
  if (message !== "figures") peers = [...peers, ...message.map((options) => chainPeer(chain, options))]
  process.send!(peers.map(({ figures }) => figures()))
})

process.on("disconnect", () => process.exit())
process.send!("ready")
