import { selectProvider } from "../../crypto/src/index.ts"
import { networkCalled } from "../../protocol/src/index.ts"
import { ENGINE_OPTIONS, startEngine } from "./engine-client.ts"
import { answerParent } from "./in-child.ts"
import { minedHeaders } from "./mined-headers.ts"

export interface HeadersAsked {
  readonly directory: string
  readonly count: number
}

/** Calls that are on their way at once. */
const AT_ONCE = 500

/** Puts headers of a regtest chain into a data directory; answers the seconds that took. */
await answerParent(async ({ count, directory }: HeadersAsked) => {
  const selection = selectProvider()
  if (!selection.ok) throw new Error("there is no crypto provider")
  const { crypto } = selection.provider
  const genesis = networkCalled("regtest")!.genesisBlock.subarray(0, 80)
  const time = new DataView(genesis.buffer, genesis.byteOffset).getUint32(68, true)
  const headers = minedHeaders({ hash: crypto.sha256d(genesis), time }, count, crypto)
  const engine = await startEngine({ ...ENGINE_OPTIONS, directory })
  const start = performance.now()
  for (let at = 0; at < headers.length; at += AT_ONCE) {
    await Promise.all(headers.slice(at, at + AT_ONCE).map((bytes) => engine.call("submitHeader", { bytes })))
  }
  const seconds = (performance.now() - start) / 1_000
  if (engine.state().headersHeight !== count) {
    throw new Error(`of ${count} headers the engine took ${engine.state().headersHeight}`)
  }
  await engine.close()
  return seconds
})
