import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { coinsOf, tipOf, type WireNodes } from "../sockets/wire-node.ts"
import { fileOfBlocks } from "./served-chain.ts"

/** A chain in a file, and what a node says of it. */
export interface MinedFile {
  readonly file: string
  readonly tip: string
  readonly coins: string
}

/** Has a node find so many blocks, and writes them down. */
export const minedFile = async (nodes: WireNodes, height: number): Promise<MinedFile> => {
  const source = await nodes.start("source")
  await source.call("generatetoaddress", height, OPEN_ADDRESS)
  const blocks: Array<Uint8Array> = []
  for (let at = 0; at <= height; at++) {
    blocks.push(
      Buffer.from(await source.call<string>("getblock", await source.call<string>("getblockhash", at), 0), "hex")
    )
  }
  const file = join(nodes.root, "blocks.dat")
  writeFileSync(file, fileOfBlocks(blocks))
  const mined = { file, tip: await tipOf(source), coins: await coinsOf(source) }
  await nodes.stop(source)
  return mined
}
