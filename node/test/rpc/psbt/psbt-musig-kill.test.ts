import { assert, describe, it } from "@effect/vitest"
import { HDKey } from "@scure/bip32"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { patience } from "../../process/patience.ts"
import { startNode } from "../../process/node-process.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const VERSIONS = { private: 0x04358394, public: 0x043587cf }
const [X, Y] = [41, 42].map((byte) => HDKey.fromMasterSeed(new Uint8Array(32).fill(byte), VERSIONS))
const OURS = `tr(musig(${X!.privateExtendedKey}/0,${Y!.publicExtendedKey}/0))`
/** Both private keys in one descriptor: what one call adds is what all signers add. */
const BOTH = `tr(musig(${X!.privateExtendedKey}/0,${Y!.privateExtendedKey}/0))`

describe("a node that is killed between the two rounds of MuSig2", () => {
  it.live(
    "has forgotten its nonces: it signs with none of them again, and with new ones alone",
    () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        const config = join(directory, "node.toml")
        writeFileSync(config, `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["admin"]\n`, {
          mode: 0o600
        })
        yield* Effect.promise(async () => {
          const options = { args: ["--config", config], token: "admin" }
          const node = await startNode(directory, options)
          const [hash] = await node.client.call("generatetodescriptor", 1, OURS) as ReadonlyArray<string>
          const { tx: [txid] } = await node.client.call("getblock", hash!) as { readonly tx: [string] }
          const created = await node.client.call("createpsbt", [{ txid, vout: 0 }], [{ data: "00" }])
          const signed = async (at: typeof node, psbt: unknown, descriptor: string): Promise<Shown> =>
            ((await at.client.call("descriptorprocesspsbt", psbt, [descriptor])) as Shown).psbt
          const nonces = await signed(node, created, BOTH)

          node.signal("SIGKILL")
          await node.ended
          node.client.close()
          const again = await startNode(directory, options)
          const shown = async (psbt: unknown) => {
            const { inputs: [input] } = await again.client.call("decodepsbt", psbt) as Shown
            return {
              nonces: (input.musig2_pubnonces ?? []).map(({ pubnonce }: Shown) => pubnonce) as ReadonlyArray<string>,
              partial: (input.musig2_partial_sigs ?? []).length as number
            }
          }
          const before = await shown(nonces)
          assert.strictEqual(before.nonces.length, 2)
          // With all nonces there it would sign at once, if it had the secret ones.
          for (const descriptor of [OURS, BOTH]) {
            assert.deepStrictEqual(await shown(await signed(again, nonces, descriptor)), before)
          }
          const anew = await signed(again, created, BOTH)
          const after = await shown(anew)
          assert.strictEqual(new Set([...before.nonces, ...after.nonces]).size, 4)
          assert.strictEqual((await shown(await signed(again, anew, BOTH))).partial, 2)
          again.signal("SIGTERM")
          await again.ended
        })
      }),
    patience(120_000)
  )
})
