import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "vitest"

const wrongAnswersIn = async (name: string, seed: number): Promise<number> => {
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData: { name, seed } })
  const [wrong] = await once(worker, "message") as [number]
  return wrong
}

describe("providers on several threads", () => {
  it.each(["libsecp256k1", "prebuilt"])("%s answers each thread its own question", async (name) => {
    assert.deepStrictEqual(await Promise.all([1, 2, 3].map((seed) => wrongAnswersIn(name, seed))), [0, 0, 0])
  })
})
