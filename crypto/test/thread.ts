import { nobleCrypto } from "@lockstep/kernel/noble"
import { parentPort, workerData } from "node:worker_threads"
import { selectProvider } from "../src/index.ts"
import { bytes32, ecdsaKey, ecdsaSign } from "./signing.ts"

const { name, seed } = workerData as { readonly name: string; readonly seed: number }
const selection = selectProvider(name)
const secret = bytes32(BigInt(seed))
const data = new Uint8Array(3_000).fill(seed)
const digest = nobleCrypto.sha256d(data)
const signature = ecdsaSign(secret, digest)
const key = ecdsaKey(secret)

/** How many answers were wrong while other threads asked the same library. */
const wrongAnswers = (): number => {
  if (!selection.ok) return 0
  const { ecdsaVerify, sha256d } = selection.provider.crypto
  let wrong = 0
  for (let i = 0; i < 1_000; i++) {
    if (Buffer.compare(sha256d(data), digest) !== 0) wrong++
    if (!ecdsaVerify(signature, key, digest)) wrong++
  }
  return wrong
}

parentPort!.postMessage(wrongAnswers(), [])
